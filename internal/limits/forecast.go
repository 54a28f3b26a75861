package limits

import "time"

// A Forecast is how full a window will be if its use goes on as in the window so far.
type Forecast struct {
	Used float64   // at the reset; 1 is the limit
	Full time.Time // when the limit will be reached; zero if not before the reset, or now
}

// minElapsed is the part of a window that must have passed before there is a forecast.
const minElapsed = 0.1

// Forecast returns the forecast at a time. There is none without a reset, for a window
// whose length is not known, and while little of the window has passed.
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
