package limits

import "time"

// A Forecast extrapolates the use of a window at its rate so far.
type Forecast struct {
	Used float64   // at the reset; 1 is the limit
	Full time.Time // when the limit will be reached; zero if not before the reset, or now
}

// minElapsed is the part of a window that must have passed before a forecast.
const minElapsed = 0.1

// Forecast returns the forecast at a time. It needs a stated reset, a window of known
// length, and some part of the window that has passed.
func (w *Window) Forecast(now time.Time) (f Forecast, ok bool) {
	length := statedLength(w.Name)
	if w.Resets.IsZero() || length == 0 {
		return f, false
	}
	elapsed := length - w.Resets.Sub(now)
	part := elapsed.Seconds() / length.Seconds()
	if part < minElapsed || part > 1 {
		return f, false
	}
	f.Used = w.Used / part
	if f.Used > 1 && w.Used < 1 {
		f.Full = now.Add(time.Duration(float64(elapsed) * (1 - w.Used) / w.Used))
	}
	return f, true
}
