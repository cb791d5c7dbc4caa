"""Script time by frame from a trace."""

from benchmarks.browser_trace import script_of_frames


def event(name, ts, dur, tdur, tid=1):
    return {"name": name, "ph": "X", "pid": 1, "tid": tid, "ts": ts, "dur": dur, "tdur": tdur}


def test_a_frame_has_the_scripts_since_the_frame_before():
    trace = [
        event("EventDispatch", 0, 10, 2000),
        event("FireAnimationFrame", 20, 30, 3000),
        event("FunctionCall", 25, 5, 1000),  # inside the frame
        event("TimerFire", 60, 5, 4000),
        event("FireAnimationFrame", 80, 5, 500),
        event("FunctionCall", 81, 2, 9000, tid=2),  # of another thread
        event("Paint", 90, 5, 7000),
    ]
    assert script_of_frames(trace) == [5.0, 4.5]
