"""The page in a real browser: from click to number, compared with what the command gives; nothing is asked of another host."""

import csv
import gzip
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.page.few_tasks import NEEDED
from vieta.cli.commands import vieta as command
from vieta.page.uploads import safe_name

pytest.importorskip("uvicorn", reason=NEEDED)
playwright = pytest.importorskip(
    "playwright.sync_api", reason="a browser is driven by playwright: pip install playwright"
)
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("no chromium on this machine: apt-get install chromium", allow_module_level=True)

AXE = Path(__file__).parent / "axe" / "axe.min.js"
RUN = [sys.executable, "-c", "from vieta.cli import main; main()"]
PICTURES = os.environ.get("VIETA_PICTURES")  # where to put pictures for the docs
WAIT = 120_000  # milliseconds, for kernels that are compiled
QUIZ = 'theta = [[-1.5], [1.0]]\nanswers = { law = "binary" }\noffset = { law = "gaussian", mean = 0, variance = 1 }\n'
ROOT = Path(__file__).parents[2]
STREAM = """import json, random, time
random.seed(0)
for k in range(6000):
    print(json.dumps([random.gauss(m, 0.3) for m in random.sample([1 if k < 3000 else 2, 4], 2)]), flush=k % 100 == 0)
    if k % 100 == 0:
        time.sleep(0.1)
"""


def lines(odd):
    """Two lines at two inputs and, in two sets of 120, a third, so that they can hardly be paired; or at many, with what all share."""
    rng, text = np.random.default_rng(0), "k,valve,y1,y2\n"
    for k in range(120):
        x = rng.uniform() if odd else 0.5 if k in (50, 90) else k % 2
        y = rng.permutation([1.0 + 2.0 * x, 4.0 - 1.5 * x]) + rng.normal(0.0, 0.3, size=2) + 0.4 * odd * np.sin(k / 15)
        text += f"{k},{x:.3f},{y[0]:.3f},{y[1]:.3f}\n"
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Records, those with markup in their names, and a stream."""
    made = tmp_path_factory.mktemp("page")
    CliRunner().invoke(command, ["simulate", "lines", "-n", "300", "-o", str(made / "lines.csv")])
    CliRunner().invoke(command, ["simulate", "example-1", "-n", "300", "-o", str(made / "one.csv")])
    header, rest = (made / "one.csv").read_text().split("\n", 1)
    (made / "<b>bold.csv").write_text(header.replace("psi", "<img src=x onerror=alert(1)>") + "\n" + rest)
    (made / "stream.py").write_text(STREAM)
    (made / "bad.csv").write_text("name,colour\nanna,red\n")
    (made / "findings.csv").write_text(lines(1))
    (made / "rival.csv").write_text(lines(0))
    (made / "quiz.toml").write_text(QUIZ)
    for scenario, name in (("radar-like", "radar"), (str(made / "quiz.toml"), "quiz")):
        CliRunner().invoke(command, ["simulate", scenario, "-n", "200", "-o", str(made / f"{name}.csv")])
    return made


@pytest.fixture(scope="module")
def link(folder):
    """A server of its own, which ends cleanly at Ctrl-C."""
    words = ["page", "--no-browser", "--port", "0", "--watch", "python3 stream.py"]
    server = subprocess.Popen([*RUN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    yield server.stdout.readline().strip()
    server.send_signal(signal.SIGINT)
    _, errors = server.communicate(timeout=30)
    assert server.returncode == 0
    assert "Traceback" not in errors


@pytest.fixture(scope="module")
def context(link):
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        one = browser.new_context(viewport={"width": 1200, "height": 900})
        one.add_init_script(path=AXE)
        first = one.new_page()
        first.goto(link)
        first.close()
        yield one
        browser.close()


@pytest.fixture
def page(context, link):
    """A tab that says nothing wrong and asks no other host."""
    home, wrong = link.split("?")[0], []
    one = context.new_page()
    one.set_default_timeout(WAIT)
    one.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    one.on("pageerror", lambda error: wrong.append(str(error)))
    one.on(
        "request",
        lambda request: None if request.url.startswith((home, "blob:", "data:")) else wrong.append(request.url),
    )
    one.goto(home)
    one.wait_for_selector("body[data-ready]")
    yield one
    one.close()
    assert [text for text in wrong if "422" not in text] == []  # what is refused is logged by the browser


def drop(page, path):
    page.click("#tab-records")
    page.set_input_files("#file", path)
    playwright.expect(page.locator("#file-name")).to_have_text(safe_name(path.name), timeout=WAIT)
    page.wait_for_selector("#columns[data-looked=yes]")


def expected(page, folder):
    """What the command that is shown gives."""
    return json.loads(said_by(page, folder, "--json"))


def said_by(page, folder, *more, place="#command"):
    """What the command that is shown prints."""
    words = shlex.split(page.inner_text(place))[1:]
    here = Path.cwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(command, [*words, *more]).stdout
    finally:
        os.chdir(here)


def fitted(page):
    page.click("#fit")
    page.wait_for_selector("#result:not([hidden])")


def downloaded(page, button):
    with page.expect_download() as found:
        page.click(button)
    return Path(found.value.path()).read_text()


LOOKS = {"": ("light", 1200), "-dark": ("dark", 1200), "-narrow": ("light", 400)}


def looked_at(page, name=None, part=None):
    """A state of the page in every look: it fits its window, and nothing about it is hard to see; with pictures, if they are wanted."""
    for look, (scheme, width) in LOOKS.items():
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(50)  # charts follow the window at the next frame
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert serious(page) == []
        if PICTURES is not None and name is not None:
            keep(page, Path(PICTURES) / f"{name}{look}.png", part)


def keep(page, path, part):
    """A picture of all of the page, or of a part, in the colours that it has most of."""
    from PIL import Image

    page.evaluate("document.activeElement?.blur()")
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    path.parent.mkdir(exist_ok=True)
    if part is None:
        page.screenshot(path=path, full_page=True)
    else:
        page.locator(part).screenshot(path=path)
    picture = Image.open(path).convert("RGB")
    most = sorted(picture.getcolors(picture.width * picture.height), reverse=True)[:48]
    palette = Image.new("P", (1, 1))
    palette.putpalette([level for _, colour in most for level in colour])
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)


def half_way(route):
    """The answer about a job that goes on for ever."""
    key = route.request.url.rpartition("/")[2]
    route.fulfill(json={"job": key, "status": "running", "phrase": "estimating, pass 3", "share": 0.4})


def serious(page):
    """What axe finds that is serious or critical."""
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (one["id"], one["nodes"][0]["html"][:120])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def test_a_file_is_dropped_and_fitted_and_its_numbers_are_the_commands(page, folder):
    drop(page, folder / "lines.csv")
    fitted(page)
    assert json.loads(downloaded(page, "#save-json")) == expected(page, folder)
    assert page.locator("#estimates tbody tr").count() == 6
    assert downloaded(page, "#save-csv").count("\n") == 7
    assert page.locator("#readings canvas").count() >= 1
    assert serious(page) == []


@pytest.mark.browser
def test_a_file_that_is_let_fall_anywhere_on_the_page_is_taken(page, folder):
    page.click("#tab-understand")
    page.evaluate(
        """(text) => { const what = new DataTransfer(); what.items.add(new File([text], "fallen.csv"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: what, bubbles: true, cancelable: true })); }""",
        (folder / "one.csv").read_text(),
    )
    playwright.expect(page.locator("#file-name")).to_have_text("fallen.csv", timeout=WAIT)
    assert page.locator("#records").is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("name", ["lines.tsv", "lines.ndjson", "lines.parquet", "lines.csv.gz"])
def test_a_file_of_every_format_gives_the_numbers_of_the_command(page, folder, name):
    if name.endswith("gz"):
        (folder / name).write_bytes(gzip.compress((folder / "lines.csv").read_bytes()))
    elif name.endswith("tsv"):
        (folder / name).write_text((folder / "lines.csv").read_text().replace(",", "\t"))
    else:
        CliRunner().invoke(command, ["simulate", "lines", "-n", "300", "-o", str(folder / name)])
    drop(page, folder / name)
    fitted(page)
    given = json.loads(downloaded(page, "#save-json"))
    assert given == expected(page, folder)
    plain = CliRunner().invoke(command, ["fit", str(folder / "lines.csv"), "--json"]).stdout
    assert given["theta"] == json.loads(plain)["theta"]


FALL = """(names) => { const what = new DataTransfer(); for (const name of names) what.items.add(new File(["y1,y2\\n1,2\\n"], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: what, bubbles: true, cancelable: true })); }"""


@pytest.mark.browser
def test_what_cannot_be_taken_is_said_where_it_was_dropped(page, folder):
    trouble = page.locator("#drop-trouble")
    page.evaluate(FALL, ["a.csv", "b.csv"])
    playwright.expect(trouble).to_contain_text("one is read at a time")
    page.evaluate(
        "() => { File.prototype.slice = () => ({ arrayBuffer: () => Promise.reject(new Error('as of a folder')) }); }"
    )
    page.evaluate(FALL, ["a.csv"])
    playwright.expect(trouble).to_contain_text("a.csv cannot be read: it is a folder")
    page.route("**/api/about", lambda route: route.fulfill(json=route.fetch().json() | {"most_bytes": 10}))
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.set_input_files("#file", folder / "one.csv")
    playwright.expect(trouble).to_contain_text("one.csv is larger than 10 bytes")
    assert page.locator("#columns").is_hidden()
    page.unroute("**/api/about")


@pytest.mark.browser
def test_sets_of_any_size_are_fitted_once_it_is_said_how_many_systems_there_are(page, folder):
    drop(page, folder / "radar.csv")
    page.click("#fit")
    page.wait_for_selector("#fit-trouble:not([hidden])")
    assert page.evaluate("document.activeElement.id") == "c-systems"
    page.fill("#c-systems", "3")
    fitted(page)
    given = json.loads(downloaded(page, "#save-json"))
    assert given == expected(page, folder)
    assert given["method"] == "adaptive"
    assert "false readings a set" in page.inner_text("#description")
    looked_at(page)


@pytest.mark.browser
def test_columns_that_are_not_shown_are_used_as_they_were_recognised(page, folder):
    rng = np.random.default_rng(0)
    words = ",".join(["word"] * 210)
    rows = [f"{k},{words},{y:.3f}" for k in range(60) for y in rng.permutation([0.0, 5.0]) + rng.normal(0.0, 0.2, 2)]
    (folder / "wide-table.csv").write_text("\n".join(["set," + ",".join(f"c{k}" for k in range(210)) + ",y", *rows]))
    drop(page, folder / "wide-table.csv")
    assert "The first 200 of 212 columns are shown" in page.inner_text("#columns-says")
    page.check("#c-trend")
    page.wait_for_selector("#columns[data-looked=yes]")
    assert page.is_checked("#c-intercept")  # which comes with it
    page.uncheck("#c-trend")
    page.wait_for_selector("#columns[data-looked=yes]")
    assert not page.is_checked("#c-intercept")  # and goes with it
    for box in ("check", "uncheck"):
        getattr(page, box)("#c-intercept")
        page.wait_for_selector("#columns[data-looked=yes]")
    fitted(page)
    given = json.loads(downloaded(page, "#save-json"))
    assert given == expected(page, folder)
    assert given["settings"]["values"] == ["y"]


@pytest.mark.browser
def test_pairs_are_shown_in_the_plane(page, folder):
    rng = np.random.default_rng(0)
    rows = [
        f"{k},{x:.3f},{y:.3f}"
        for k in range(100)
        for x, y in rng.permutation([[0.0, 0.0], [3.0, 1.0]]) + 0.2 * rng.normal(size=(2, 2))
    ]
    (folder / "pairs.csv").write_text("\n".join(["set,north,east", *rows]))
    drop(page, folder / "pairs.csv")
    for name in ("north", "east"):
        page.select_option(f"select[data-column={name}]", "value")
        page.wait_for_selector("#columns[data-looked=yes]")
    fitted(page)
    assert json.loads(downloaded(page, "#save-json")) == expected(page, folder)
    assert "crosses" in page.inner_text("#readings-drawn")
    page.focus("#readings .chart")
    page.keyboard.press("ArrowRight")
    assert re.match(r"east -?[\d.]+: most likely system [12], probability", page.inner_text("#readings .hover"))
    looked_at(page)


@pytest.mark.browser
def test_answers_are_fitted_as_what_they_are(page, folder):
    drop(page, folder / "quiz.csv")
    page.select_option("#c-family", "binary")
    page.select_option("select[data-column=offset]", "offset")
    page.wait_for_selector("#columns[data-looked=yes]")
    fitted(page)
    given = json.loads(downloaded(page, "#save-json"))
    assert given == expected(page, folder)
    assert given["answers"]["family"] == "binary"
    assert page.locator("#readings-box").is_hidden()


@pytest.mark.browser
def test_the_keyboard_alone_leads_from_the_demonstration_to_an_answer(page):
    page.keyboard.press("1")
    page.focus("#file")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#columns[data-looked=yes]")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "fit":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#result:not([hidden])")
    assert page.evaluate("document.activeElement.id") == "verdict-title"


def tabbed_to(page, name):
    """Whether the tab key leads to an element; it stays there."""
    for _ in range(90):
        if page.evaluate("document.activeElement.id") == name:
            return True
        page.keyboard.press("Tab")
    return False


@pytest.mark.browser
def test_the_keyboard_alone_leads_to_a_decision_about_a_release(page):
    page.keyboard.press("3")
    assert tabbed_to(page, "release-demo")
    page.keyboard.press("Enter")
    page.wait_for_selector("#release-form:not([hidden])")
    playwright.expect(page.locator("#audit")).to_be_focused(timeout=WAIT)
    page.keyboard.press("Enter")
    page.wait_for_selector("#release-result:not([hidden])")
    playwright.expect(page.locator("#audit")).to_be_focused(timeout=WAIT)  # it could not be used meanwhile
    page.focus("#tab-release")
    assert tabbed_to(page, "r-noise")
    before = page.inner_text("#r-reading")
    page.keyboard.press("End")
    assert page.inner_text("#r-reading") != before
    assert tabbed_to(page, "save-decision")
    with page.expect_download() as found:
        page.keyboard.press("Enter")
    assert found.value.suggested_filename == "decision.html"
    playwright.expect(page.locator("#save-decision")).to_be_focused(timeout=WAIT)


@pytest.mark.browser
def test_the_python_that_is_shown_gives_the_same(page, folder):
    drop(page, folder / "one.csv")
    fitted(page)
    code = page.inner_text("#python").rpartition("print(")[0]
    given = json.loads(downloaded(page, "#save-json"))
    names = {}
    here = Path.cwd()
    os.chdir(folder)
    try:
        exec(code, names)
    finally:
        os.chdir(here)
    assert names["estimate"].theta.tolist() == given["theta"]


@pytest.mark.browser
def test_a_reading_is_named_under_the_cursor_and_by_the_arrow_keys(page, folder):
    drop(page, folder / "one.csv")
    fitted(page)
    over, said = page.locator("#readings .u-over"), page.locator("#readings .hover")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    for k in range(40):  # somewhere there is a reading
        page.mouse.move(box["x"] + box["width"] * (0.3 + 0.01 * k), box["y"] + box["height"] / 2)
        if said.inner_text():
            break
    named = re.compile(r"y -?[\d.e-]+: most likely system [123], probability [01]")
    playwright.expect(said).to_have_text(named)
    page.focus("#readings .chart")
    heard = []
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        heard.append(said.inner_text())
        assert named.match(heard[-1])
    assert len(set(heard)) == 4
    drawn = "document.querySelector('#readings canvas').toDataURL()"
    whole = page.evaluate(drawn)
    page.keyboard.press("+")
    page.wait_for_timeout(50)
    assert page.evaluate(drawn) != whole
    page.keyboard.press("ArrowLeft")
    assert said.inner_text() == heard[2]
    page.keyboard.press("Escape")
    page.wait_for_timeout(50)
    assert page.evaluate(drawn) == whole
    page.mouse.move(box["x"] + 100, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 150, steps=4)
    page.mouse.up()
    page.wait_for_timeout(50)
    assert page.evaluate(drawn) != whole
    over.dblclick()
    page.wait_for_timeout(50)
    assert page.evaluate(drawn) == whole


@pytest.mark.browser
def test_all_that_is_kept_has_the_same_numbers(page, folder):
    drop(page, folder / "lines.csv")
    fitted(page)
    shown = page.locator("#estimates tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    header, *rows = csv.reader(io.StringIO(downloaded(page, "#save-csv")))
    assert rows == shown
    given = json.loads(downloaded(page, "#save-json"))
    assert [row[header.index("estimate")] for row in rows] == [f"{v:.6g}" for row in given["theta"] for v in row]
    kept = downloaded(page, "#save-report")
    assert all(cell in kept for row in rows for cell in row)
    assert "<script" not in kept
    printed = said_by(page, folder)
    assert all(cell.strip() in printed for row in rows for cell in row)


@pytest.mark.browser
def test_names_with_markup_are_text(page, folder):
    path = folder / "<b>bold.csv"
    drop(page, path)
    assert page.locator("#columns img, #columns b").count() == 0
    assert "<img src=x onerror=alert(1)>" in page.inner_text("#roles")
    fitted(page)
    assert page.locator("#result img, #result b:not(#verdict b)").count() == 0
    assert "<img src=x onerror=alert(1)>" in page.inner_text("#description")
    assert "<img src=x" not in downloaded(page, "#save-report")


@pytest.mark.browser
def test_a_mistake_is_shown_where_it_is(page, folder):
    drop(page, folder / "bad.csv")
    assert page.locator("#columns-trouble").is_visible()
    assert "columns" in page.inner_text("#columns-trouble")
    page.click("#fit")
    page.wait_for_selector("#fit:enabled")
    assert page.evaluate("document.activeElement.id") == "roles"
    assert page.locator("#fit-trouble").is_hidden()  # as it is said already
    drop(page, folder / "one.csv")
    assert page.locator("#columns-trouble").is_hidden()
    page.fill("#c-systems", "two")
    page.click("#fit")
    page.wait_for_selector("#columns-trouble:not([hidden])")
    assert page.inner_text("#columns-trouble").startswith("“Systems”: 'two' is neither")
    assert page.get_attribute("#c-systems", "aria-invalid") == "true"
    page.fill("#c-systems", "7")
    page.click("#fit")
    page.wait_for_selector("#fit-trouble:not([hidden])")
    assert page.locator("#columns-trouble").is_hidden()


@pytest.mark.browser
def test_a_file_without_columns_leaves_none_of_another_to_choose(page, folder):
    drop(page, folder / "one.csv")
    (folder / "nothing.csv").write_text("")
    drop(page, folder / "nothing.csv")
    assert "nothing.csv is empty" in page.inner_text("#columns-trouble")
    assert page.inner_text("#columns-says") == ""
    assert page.locator("#choices").is_hidden()
    drop(page, folder / "one.csv")
    assert page.locator("#fit").is_visible()


@pytest.mark.browser
def test_an_answer_about_columns_that_comes_late_is_not_shown(page, folder):
    held = []
    page.route("**/api/tasks/columns", lambda route: held.append(route) if not held else route.continue_())
    page.set_input_files("#file", folder / "bad.csv")
    playwright.expect(page.locator("#file-name")).to_have_text("bad.csv", timeout=WAIT)
    drop(page, folder / "one.csv")
    held[0].continue_()
    page.wait_for_timeout(300)
    assert page.locator("#columns-trouble").is_hidden()
    assert "psi" in page.inner_text("#roles")
    page.unroute("**/api/tasks/columns")


@pytest.mark.browser
def test_a_fit_is_cancelled(page, folder):
    page.click("#tab-records")
    page.click("#demo")
    page.wait_for_selector("#roles table")
    page.click("#fit")
    page.click("#cancel")
    playwright.expect(page.locator("#fit")).to_be_focused(timeout=WAIT)
    assert page.inner_text("#fit-phrase") == "cancelled"
    assert page.locator("#result").is_hidden()


@pytest.fixture(scope="module")
def large(folder):
    """A million sets."""
    CliRunner().invoke(command, ["simulate", "lines", "-n", "1000000", "-o", str(folder / "large.parquet")])
    return folder / "large.parquet"


SEEN = """() => { window.seen = []; const note = () => { const bar = document.getElementById("fit-bar"), words = bar.parentElement.innerText;
    if (!bar.hidden) seen.push([(/pass \\d+/.exec(words) || [""])[0], bar.getAttribute("value")]); };
    new MutationObserver(note).observe(document.getElementById("fit-bar"), { attributes: true }); }"""


@pytest.mark.browser
def test_a_million_sets_show_how_far_each_pass_is_can_be_cancelled_in_it_and_are_drawn_as_some(page, folder, large):
    drop(page, large)
    page.evaluate(SEEN)
    page.click("#fit")
    for _ in range(WAIT // 20):
        if page.evaluate("seen.some(([name, share]) => name && share !== null)"):
            break
        page.wait_for_timeout(20)
    page.click("#cancel")
    page.wait_for_selector("#fit:enabled")
    assert page.inner_text("#fit-phrase") == "cancelled"
    assert page.locator("#result").is_hidden()
    fitted(page)
    last, shares = "", [0.0]
    for name, share in page.evaluate("seen"):
        shares = shares if name == last else [0.0]
        last = name
        if share is not None:  # between passes nobody knows
            assert shares[-1] <= float(share) < 1.0
            shares.append(float(share))
    assert len({name for name, share in page.evaluate("seen") if name and share is not None}) > 5
    assert "1,000 of the 1,000,000 sets are shown" in page.inner_text("#readings")
    assert json.loads(downloaded(page, "#save-json")) == expected(page, folder)


@pytest.mark.browser
def test_a_fit_whose_tab_is_left_is_cancelled(page, link, large):
    drop(page, large)
    with page.expect_response("**/api/tasks/fit") as begun:
        page.click("#fit")
    job = f"{link.split('?')[0]}api/jobs/{begun.value.json()['job']}"
    page.reload()
    page.wait_for_selector("body[data-ready]")
    for _ in range(40):  # for the last words of the tab to arrive
        if page.request.get(job).json()["status"] == "cancelled":
            break
        page.wait_for_timeout(25)
    assert page.request.get(job).json()["status"] == "cancelled"


@pytest.mark.browser
def test_a_release_is_decided_with_sliders(page, folder):
    drop(page, folder / "one.csv")
    page.click("#tab-release")
    page.click("#audit")
    page.wait_for_selector("#release-result:not([hidden])")
    assert page.inner_text("#r-reading") != ""
    page.focus("#r-noise")
    before = page.inner_text("#r-noise-out")
    page.keyboard.press("End")
    assert page.inner_text("#r-noise-out") != before
    assert json.loads(downloaded(page, "#save-audit"))["n_records"] == 300
    page.focus("#r-drop")
    page.keyboard.press("ArrowRight")
    playwright.expect(page.locator("#audit-command")).to_contain_text("--dropping 0.05", timeout=WAIT)
    page.wait_for_selector("#audit:enabled")
    given = json.loads(downloaded(page, "#save-audit"))
    assert given == json.loads(said_by(page, folder, "--json", place="#audit-command"))
    assert "5% of the readings left out" in downloaded(page, "#save-decision")
    looked_at(page, "release")


@pytest.mark.browser
def test_a_stream_is_watched_in_many_tabs(page, context, link):
    others = [context.new_page() for _ in range(8)]  # more than a browser has connections for a host
    for other in others:
        other.goto(link.split("?")[0])
        playwright.expect(other.locator("#live-sets")).to_have_text("6,000", timeout=WAIT)
    for other in others:
        other.close()


def test_a_stream_is_watched(page):
    page.click("#tab-live")
    playwright.expect(page.locator("#live-sets")).to_have_text("6,000", timeout=WAIT)
    values = page.locator("#live-table tbody tr td:nth-child(2)").all_inner_texts()
    assert [round(float(value)) for value in values] == [2, 4]
    assert page.inner_text("#live-changes") == "1"
    page.click("#pause")
    assert page.get_attribute("#pause", "aria-pressed") == "true"
    assert serious(page) == []


@pytest.mark.browser
def test_the_idea_moves_with_the_sliders_and_the_keyboard(page):
    page.keyboard.press("4")
    page.wait_for_selector("#u-charts canvas >> nth=2")
    assert "Roots after 1 set" in page.inner_text("#p-roots")
    page.focus("#p-k")
    page.keyboard.press("End")
    assert "Roots after 400 sets" in page.inner_text("#p-roots")
    page.focus("#u-systems")
    page.keyboard.press("ArrowRight")
    playwright.expect(page.locator("#u-says")).to_have_text("As Example 1, with 4 systems.", timeout=WAIT)
    for example, says in (("1", "saddle"), ("2", "jump"), ("4", "ten parameters"), ("3", "ghosts")):
        page.select_option("#u-example", example)
        playwright.expect(page.locator("#u-after")).to_contain_text(says, timeout=WAIT)
        assert page.locator("#u-charts canvas").count() == 3
    before = page.locator("#u-charts .aside").all_inner_texts()
    for slider in ("#u-noise", "#u-step", "#u-other", "#u-n"):
        page.focus(slider)
        page.keyboard.press("ArrowLeft")
    playwright.expect(page.locator("#u-shown")).to_contain_text("All ", timeout=WAIT)
    assert page.locator("#u-charts .aside").all_inner_texts() != before
    assert serious(page) == []
    page.focus("#tab-understand")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-records"


MOVED = """() => new Promise((done) => { let sum = 0, some = false;
    new PerformanceObserver((list) => { for (const one of list.getEntries()) sum += one.value; }).observe({ type: "layout-shift" });
    const chips = () => [...document.querySelectorAll("#p-sets .chip")];
    const before = chips().map((one) => one.textContent), stop = performance.now() + 2500, places = new Set();
    document.getElementById("p-shuffle").click();
    const first = chips()[0];
    const frame = (now) => { some ||= document.querySelector(".flying") !== null; places.add(Math.round(first.getBoundingClientRect().left));
        if (now < stop) requestAnimationFrame(frame);
        else done({ sum, some, places: places.size, before, after: chips().map((one) => one.textContent) }); };
    requestAnimationFrame(frame); })"""


@pytest.mark.browser
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_sets_shuffle_in_motion_then_their_readings_become_roots_and_nothing_else_moves(page, motion):
    page.emulate_media(reduced_motion=motion)
    page.keyboard.press("4")
    page.wait_for_selector("#p-chart canvas")
    page.wait_for_selector("#u-charts canvas >> nth=2")
    page.focus("#p-sets input >> nth=0")
    page.keyboard.press("ArrowDown")
    playwright.expect(page.locator("#p-says")).to_contain_text("Set 2:", timeout=WAIT)
    roots = page.inner_text("#p-roots")
    for _ in range(4):  # the first of three readings stays where it is in a third of all shuffles
        found = page.evaluate(MOVED)
        assert found["sum"] < 0.001
        assert found["some"] == (motion == "no-preference")
        rows = [[one[k : k + 3] for k in range(0, 24, 3)] for one in (found["before"], found["after"])]
        assert [sorted(row) for row in rows[0]] == [sorted(row) for row in rows[1]]
        assert rows[0] != rows[1]
        assert motion == "no-preference" or found["places"] <= 2
        if found["places"] > 2:
            break
    assert (found["places"] > 2) == (motion == "no-preference")
    assert page.inner_text("#p-roots") == roots
    assert "set 2 and its roots are as before" in page.inner_text("#p-says")


@pytest.mark.browser
def test_the_idea_is_played_step_by_step_and_can_be_stopped(page):
    page.keyboard.press("4")
    page.wait_for_selector("#p-chart canvas")
    page.focus("#p-play")
    page.keyboard.press("Enter")
    says = page.locator("#p-says")
    for text in ("Sets are shuffled", "Set 2: its readings", "Set 1: its readings", "Averages over"):
        playwright.expect(says).to_contain_text(text, timeout=WAIT)
        assert page.inner_text("#p-play") == "Stop"
    playwright.expect(page.locator("#p-play")).to_have_text("Play", timeout=WAIT)
    assert "Roots after 400 sets" in page.inner_text("#p-roots")
    page.keyboard.press("Enter")
    playwright.expect(says).to_contain_text("Sets are shuffled", timeout=WAIT)
    page.keyboard.press("Enter")
    assert page.inner_text("#p-play") == "Play"
    assert "Roots after 1 set" in page.inner_text("#p-roots")


@pytest.mark.browser
def test_open_tabs_come_back_to_a_page_that_was_killed_and_started_again(context, tmp_path):
    rng = np.random.default_rng(0)
    os.mkfifo(tmp_path / "sets")
    words = [*RUN, "page", "--no-browser", "--watch", "sets", "--state", "watch.npz", "--resume", "continue"]
    tabs = [context.new_page() for _ in range(2)]

    def feed(n):
        with (tmp_path / "sets").open("w") as pipe:
            pipe.writelines(f"{json.dumps(row)}\n" for row in rng.normal([1.0, 4.0], 0.1, size=(n, 2)).tolist())

    def started():
        server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=tmp_path)
        return server, server.stdout.readline().strip()

    server, link = started()
    try:
        for tab in tabs:
            tab.goto(link)
            tab.wait_for_selector("body[data-ready]")
        tabs[1].click("#tab-records")
        feed(1000)
        playwright.expect(tabs[0].locator("#live-sets")).to_have_text("1,000", timeout=WAIT)
        server.kill()
        server.communicate()
        playwright.expect(tabs[0].locator("#live-state")).to_contain_text("trying again", timeout=WAIT)
        server, again = started()
        assert again.split("?")[0] == link.split("?")[0]  # the same port
        tabs[1].click("#demo")  # no stream tells this part, which comes back when it asks for something
        playwright.expect(tabs[1].locator("#file-name")).to_have_text("meters.csv.gz", timeout=WAIT)
        playwright.expect(tabs[0].locator("#live-state")).to_have_text("connected", timeout=WAIT)
        tabs[0].click("#pause")
        tabs[1].click("#tab-live")
        feed(500)
        playwright.expect(tabs[1].locator("#live-sets")).to_have_text("1,500", timeout=WAIT)
        assert tabs[0].inner_text("#live-sets") == "1,000"  # while it pauses
        tabs[0].click("#pause")
        playwright.expect(tabs[0].locator("#live-sets")).to_have_text("1,500", timeout=WAIT)
        stranger = context.browser.new_context()
        assert stranger.request.get(link).status == 403  # the old link
        stranger.close()
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=30)
        for tab in tabs:
            tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_screens_do_not_scroll_sideways(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 800})
    for key in "1234":
        page.keyboard.press(key)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert serious(page) == []


@pytest.mark.browser
def test_every_state_can_be_seen_in_light_in_dark_and_on_a_narrow_screen(page, folder):
    page.click("#tab-records")
    looked_at(page, "empty")
    page.click("#tab-live")
    playwright.expect(page.locator("#live-sets")).to_have_text("6,000", timeout=WAIT)
    looked_at(page, "live")
    page.click("#tab-understand")
    playwright.expect(page.locator("#u-shown")).to_have_text("All 20,000 sets.", timeout=WAIT)
    page.focus("#p-k")
    page.keyboard.press("End")
    looked_at(page, "understand")
    drop(page, folder / "bad.csv")
    looked_at(page, "error")
    page.click("#demo")
    playwright.expect(page.locator("#file-name")).to_have_text("meters.csv.gz", timeout=WAIT)
    page.wait_for_selector("#columns[data-looked=yes]")
    looked_at(page, "recognised")
    page.route("**/api/jobs/*", half_way)  # so that it stays for the picture
    page.click("#fit")
    playwright.expect(page.locator("#fit-phrase")).to_have_text("estimating", timeout=WAIT)
    looked_at(page, "fitting")
    page.unroute("**/api/jobs/*")
    page.wait_for_selector("#result:not([hidden])")
    looked_at(page, "result", "#result")


@pytest.mark.browser
@pytest.mark.parametrize("name", ["findings", "rival"])
def test_what_is_wrong_with_an_answer_is_seen_beside_it(page, folder, name):
    drop(page, folder / f"{name}.csv")
    page.select_option("select[data-column=valve]", "input")
    page.wait_for_selector("#columns[data-looked=yes]")
    page.check("#c-intercept")
    page.wait_for_selector("#columns[data-looked=yes]")
    fitted(page)
    assert page.locator("#verdict li.serious, #verdict li.caution").count() >= 1
    assert page.locator("#rival tbody tr").count() == (2 if name == "rival" else 0)
    assert json.loads(downloaded(page, "#save-json")) == expected(page, folder)
    looked_at(page, name, "#result")


QUICK = """([selector, event, change, where]) => new Promise((done) => {
    const begun = performance.now(), one = document.querySelector(selector), watch = new MutationObserver(() => {
        if (document.querySelector("#columns").dataset.looked === "no") return;
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun), 0)); });
    watch.observe(document.querySelector(where), { attributes: true, childList: true, subtree: true, characterData: true });
    if (change === "role") one.value = one.value ? "" : "input"; else one.value = String(Number(one.value) + Number(change));
    one.dispatchEvent(new Event(event, { bubbles: true })); })"""


@pytest.mark.browser
def test_the_first_paint_and_what_is_chosen_are_quick_when_warm(page, folder):
    """The best of several, as others may use the machine: 200 milliseconds to the first paint, 100 from a choice to the frame that shows it."""
    paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 1e9"
    painted = []
    for _ in range(5):
        page.reload()
        page.wait_for_selector("body[data-ready]")
        page.wait_for_timeout(100)
        painted.append(page.evaluate(paint))
    assert min(painted) < 200
    drop(page, folder / "lines.csv")
    chosen = ("#roles select[data-column=psi2]", "change", "role", "#columns")
    assert min(page.evaluate(QUICK, chosen) for _ in range(6)) < 100
    page.click("#tab-understand")
    playwright.expect(page.locator("#u-shown")).to_have_text("All 20,000 sets.", timeout=WAIT)
    for chosen in (
        ("#p-noise", "input", "0.05", "#p-roots"),
        ("#p-k", "input", "1", "#p-roots"),
        ("#u-noise", "input", "0.1", "#u-charts"),
    ):
        taken = []
        for _ in range(6):
            taken.append(page.evaluate(QUICK, chosen))
            page.wait_for_timeout(300)
        assert min(taken) < 100


@pytest.mark.browser
def test_nothing_moves_after_the_first_paint(page):
    shift = """new Promise((done) => { let sum = 0; new PerformanceObserver((list) => {
        for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value; }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => done(sum), 300); })"""
    assert page.evaluate(shift) < 0.1  # what counts as good


@pytest.mark.browser
@pytest.mark.skipif(not (ROOT / "docs/_build/html").is_dir(), reason="the pages of the docs are not built: make docs")
@pytest.mark.parametrize("width", [375, 1000, 1200])
def test_pages_of_the_docs_fit_their_window(context, width):
    one = context.new_page()
    one.set_viewport_size({"width": width, "height": 900})
    wide = []
    for path in sorted((ROOT / "docs/_build/html").rglob("*.html")):
        one.goto(path.as_uri())
        if one.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(path.name)
    one.close()
    assert wide == []
