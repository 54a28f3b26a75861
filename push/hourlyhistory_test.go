package push

import (
	"net/http"
	"testing"
	"time"
)

// An interruption that begins within an interval of an hour sends no value that is
// lower than the last accepted one. The rest of the increase comes at the end of the
// hour.
func TestInterruptionWithinHour(t *testing.T) {
	for _, restart := range []bool{false, true} {
		r, c := newReceiver(t), newHistoryTest(t)
		c.record.length = time.Hour
		c.prepare()
		e := testEndpoint(r.URL)
		c.start(e)
		c.record.wait(23*time.Minute, "old_total", 100) // 12:25
		c.await(r, "old_total,l=v", 112)
		if restart {
			c.stop()
		} else {
			c.interrupt(r, http.StatusServiceUnavailable)
		}
		c.record.wait(10*time.Minute, "old_total", 10) // 12:35
		c.record.wait(5*time.Minute, "new_total", 3)   // 12:40
		c.record.wait(100*time.Minute, "old_total", 1) // 14:20
		c.record.wait(50*time.Minute, "old_total", 1)  // 15:10
		if restart {
			c.startAgain(e)
		}
		r.setRespond(nil)
		c.await(r, "old_total,l=v", 124)
		c.await(r, "new_total,l=v", 3)
		c.stop()
		for _, want := range []struct{ minute, old, recent float64 }{{55, 112, 0}, {60, 122, 3}, {175, 122, 3}, {180, 123, 3}} {
			at := start.Truncate(time.Hour).Add(time.Duration(want.minute) * time.Minute)
			if old, recent := r.valueAt("old_total,l=v", at), r.valueAt("new_total,l=v", at); old != want.old || recent != want.recent {
				t.Errorf("restart %v: got %v and %v at %v, want %v and %v", restart, old, recent, at, want.old, want.recent)
			}
		}
		for _, key := range []string{"old_total,l=v", "new_total,l=v"} {
			c.neverFalls(r, key)
		}
	}
}
