"""`vieta completion`."""

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that teaches a shell to complete commands, options and files.

    \b
    Examples:
      eval "$(vieta completion bash)"                                  (in ~/.bashrc)
      eval "$(vieta completion zsh)"                                   (in ~/.zshrc)
      vieta completion fish > ~/.config/fish/completions/vieta.fish
    """
    from click.shell_completion import get_completion_class

    from vieta.cli.terminal import put_whole

    made_by = get_completion_class(shell)
    assert made_by is not None
    put_whole(made_by(ctx.find_root().command, {}, "vieta", "_VIETA_COMPLETE").source() + "\n")
