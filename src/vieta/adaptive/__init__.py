"""Sets with missed and false readings, and a noise law that is learned: likelihood over partial assignments."""
