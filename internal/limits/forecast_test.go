package limits

import (
	"math"
	"testing"
	"time"
)

func TestForecast(t *testing.T) {
	for _, test := range []struct {
		name     string
		window   string
		used     float64
		left     time.Duration
		ok       bool
		want     float64
		fullFrom time.Duration // from now; 0 if it is not full before the reset
	}{
		{"on course", FiveHours, 0.25, 150 * time.Minute, true, 0.5, 0},
		{"full early", FiveHours, 0.75, 150 * time.Minute, true, 1.5, 50 * time.Minute},
		{"full", FiveHours, 1, time.Hour, true, 1.25, 0},
		{"unused", FiveHours, 0, time.Hour, true, 0, 0},
		{"week of a model", SevenDays + "_opus", 0.5, 84 * time.Hour, true, 1, 0},
		{"too early", FiveHours, 0.05, 4*time.Hour + 31*time.Minute, false, 0, 0},
		{"just begun, by another clock", FiveHours, 0.05, 5*time.Hour + time.Minute, false, 0, 0},
		{"over", FiveHours, 0.05, -time.Minute, false, 0, 0},
		{"unknown length", "spend_limit", 0.5, time.Hour, false, 0, 0},
	} {
		w := Window{Name: test.window, Used: test.used, Resets: start.Add(test.left)}
		f, ok := w.Forecast(start)
		if ok != test.ok || math.Abs(f.Used-test.want) > 1e-9 || f.Full.IsZero() != (test.fullFrom == 0) ||
			!f.Full.IsZero() && f.Full.Sub(start).Round(time.Second) != test.fullFrom {
			t.Errorf("%s: got %+v, %v", test.name, f, ok)
		}
	}
	if _, ok := (&Window{Name: FiveHours, Used: 0.5}).Forecast(start); ok {
		t.Error("there is a forecast without a reset")
	}
}
