package limits

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// apply reports windows, such as "five_hour 40 3h", of a session "account/session". A
// reset of "none" is not stated.
func apply(s *Store, session string, windows ...string) {
	source, session, _ := strings.Cut(session, "/")
	r := &Report{Session: session, Limits: make(map[string]Usage)}
	for _, text := range windows {
		var name, ahead string
		var used float64
		if _, err := fmt.Sscan(text, &name, &used, &ahead); err != nil {
			panic(err)
		}
		r.Limits[name] = Usage{Percentage: &used}
		if ahead == "none" {
			continue
		}
		d, err := time.ParseDuration(ahead)
		if err != nil {
			panic(err)
		}
		resets := start.Add(d).Unix()
		r.Limits[name] = Usage{&used, &resets}
	}
	s.Apply(source, r, start)
}

// show lists the windows some time after the start.
func show(s *Store, after time.Duration) string {
	var all []string
	for _, w := range s.Windows(start.Add(after)) {
		resets := "reset"
		if !w.Resets.IsZero() {
			resets = w.Resets.Sub(start).String()
		}
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %.4g %s", w.Source, w.Name, w.Used, resets)))
	}
	return strings.Join(all, ", ")
}

func TestStore(t *testing.T) {
	for _, test := range []struct {
		name    string
		reports [][2]string // session and window
		want    string
	}{
		{"none", nil, ""},
		{"grows", [][2]string{{"/a", "five_hour 40 3h"}, {"/b", "five_hour 42 3h"}}, "five_hour 0.42 3h0m0s"},
		{"an idle session", [][2]string{{"/a", "five_hour 40 3h"}, {"/b", "five_hour 60 3h"}, {"/a", "five_hour 40 3h"}}, "five_hour 0.6 3h0m0s"},
		{"a session with a new response", [][2]string{{"/a", "five_hour 40 3h"}, {"/b", "five_hour 60 3h"}, {"/a", "five_hour 50 3h"}}, "five_hour 0.5 3h0m0s"},
		{"a new session that knows less", [][2]string{{"/a", "five_hour 60 3h"}, {"/b", "five_hour 50 3h"}}, "five_hour 0.6 3h0m0s"},
		{"a larger plan", [][2]string{{"/a", "seven_day 80 99h"}, {"/b", "seven_day 80 99h"}, {"/b", "seven_day 16 99h"}, {"/a", "seven_day 80 99h"}}, "seven_day 0.16 99h0m0s"},
		{"a larger plan and a new session", [][2]string{{"/a", "seven_day 80 99h"}, {"/b", "seven_day 16 99h"}, {"/b", "seven_day 17 99h"}, {"/a", "seven_day 80 99h"}}, "seven_day 0.17 99h0m0s"},
		{"the next window", [][2]string{{"/a", "five_hour 90 1h"}, {"/b", "five_hour 2 6h"}, {"/a", "five_hour 91 1h"}}, "five_hour 0.02 6h0m0s"},
		{"a wrong first reset", [][2]string{{"/x", "five_hour 1 5h9m"}, {"/a", "five_hour 40 3h"}, {"/a", "five_hour 41 3h"}}, "five_hour 0.41 3h0m0s"},
		{"a wrong first reset that is repeated", [][2]string{{"/x", "five_hour 1 5h9m"}, {"/a", "five_hour 40 3h"}, {"/a", "five_hour 41 3h"}, {"/x", "five_hour 1 5h9m"}}, "five_hour 0.41 3h0m0s"},
		{"a wrong later reset", [][2]string{{"/a", "five_hour 40 3h"}, {"/x", "five_hour 1 5h9m"}, {"/a", "five_hour 41 3h"}}, "five_hour 0.41 3h0m0s"},
		{"an earlier reset that is repeated", [][2]string{{"/b", "five_hour 1 5h"}, {"/a", "five_hour 40 3h"}, {"/a", "five_hour 40 2h59m59s"}}, "five_hour 0.01 5h0m0s"},
		{"the window before, that nearly ended", [][2]string{{"/a", "five_hour 90 2m"}, {"/b", "five_hour 1 5h"}, {"/a", "five_hour 91 2m"}}, "five_hour 0.01 5h0m0s"},
		{"the next window of a known session", [][2]string{{"/a", "five_hour 90 1h"}, {"/b", "five_hour 60 5h"}, {"/a", "five_hour 50 5h"}}, "five_hour 0.5 5h0m0s"},
		{"the same use of the next window", [][2]string{{"/a", "five_hour 0 1h"}, {"/a", "five_hour 0 5h"}}, "five_hour 0 5h0m0s"},
		{"an inexact reset", [][2]string{{"/a", "five_hour 90 3h"}, {"/b", "five_hour 40 3h1s"}, {"/b", "five_hour 95 2h59m59s"}}, "five_hour 0.95 3h0m0s"},
		{"more than all", [][2]string{{"/a", "five_hour 105 3h"}}, "five_hour 1.05 3h0m0s"},
		{"other windows", [][2]string{{"/a", "spend_limit 140 700h"}, {"/b", "seven_day_opus 20 99h"}}, "seven_day_opus 0.2 99h0m0s, spend_limit 1.4 700h0m0s"},
		{"no reset", [][2]string{{"/a", "spend_limit 40 none"}, {"/b", "spend_limit 30 none"}, {"/a", "spend_limit 40 none"}}, "spend_limit 0.4 reset"},
		{"no reset, and nothing used", [][2]string{{"/a", "spend_limit 0 none"}}, "spend_limit 0 reset"},
		{"a reset that is stated later", [][2]string{{"/a", "spend_limit 40 none"}, {"/b", "spend_limit 30 9h"}}, "spend_limit 0.3 9h0m0s"},
		{"a reset that is stated no more", [][2]string{{"/a", "spend_limit 40 9h"}, {"/a", "spend_limit 41 none"}}, "spend_limit 0.41 reset"},
		{"a reset that a new session does not state", [][2]string{{"/a", "spend_limit 40 9h"}, {"/b", "spend_limit 41 none"}}, "spend_limit 0.4 9h0m0s"},
		{"two accounts", [][2]string{{"x/a", "five_hour 40 3h"}, {"y/b", "five_hour 60 3h"}}, "x five_hour 0.4 3h0m0s, y five_hour 0.6 3h0m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Store
			for _, r := range test.reports {
				apply(&s, r[0], r[1])
			}
			if got := show(&s, 0); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// After its reset a window is empty, and soon not listed.
func TestReset(t *testing.T) {
	var s Store
	apply(&s, "/a", "five_hour 90 3h", "seven_day 20 99h")
	for _, test := range []struct {
		after time.Duration
		want  string
	}{
		{3*time.Hour - 1, "five_hour 0.9 3h0m0s, seven_day 0.2 99h0m0s"},
		{3 * time.Hour, "five_hour 0 reset, seven_day 0.2 99h0m0s"},
		{4*time.Hour - 1, "five_hour 0 reset, seven_day 0.2 99h0m0s"},
		{4 * time.Hour, "seven_day 0.2 99h0m0s"},
		{100 * time.Hour, ""},
	} {
		if got := show(&s, test.after); got != test.want {
			t.Errorf("after %s: got %q, want %q", test.after, got, test.want)
		}
	}
}

// A window without a stated reset is listed for as long as it can last.
func TestNoReset(t *testing.T) {
	const day = 24 * time.Hour
	var s Store
	apply(&s, "/a", "seven_day_opus 20 none", "spend_limit 30 none")
	for _, test := range []struct {
		after time.Duration
		want  string
	}{
		{7*day - 1, "seven_day_opus 0.2 reset, spend_limit 0.3 reset"},
		{7 * day, "seven_day_opus 0 reset, spend_limit 0.3 reset"},
		{7*day + time.Hour, "spend_limit 0.3 reset"},
		{32*day + time.Hour, ""},
	} {
		if got := show(&s, test.after); got != test.want {
			t.Errorf("after %s: got %q, want %q", test.after, got, test.want)
		}
	}
}

// At most 16 windows have a name at once, whatever the number of sources. A further
// window can replace a window that has been reset.
func TestManyWindows(t *testing.T) {
	var s Store
	for i := range 2 * MaxWindows {
		apply(&s, "x/a", fmt.Sprintf("window_%02d 40 9h", i))
	}
	apply(&s, "y/a", "window_00 50 10h", "five_hour 50 4h")
	all := s.Windows(start)
	if len(all) != MaxWindows+1 || all[0].Name != "window_00" || all[1].Source != "y" || all[MaxWindows].Name != "window_15" {
		t.Errorf("got %d windows: %v", len(all), all)
	}
	s.Windows(start.Add(11 * time.Hour))
	apply(&s, "y/a", "five_hour 50 4h")
	if got, want := show(&s, 0), "y five_hour 0.5 4h0m0s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRestore(t *testing.T) {
	var s, restored Store
	apply(&s, "x/a", "five_hour 90 3h", "seven_day 20 99h")
	b, err := s.Save(start.Add(4*time.Hour - 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := restored.Restore(b, start); err != nil {
		t.Fatal(err)
	}
	const want = "x seven_day 0.2 99h0m0s"
	if got := show(&restored, 0); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	apply(&restored, "x/b", "seven_day 4 99h") // may be old
	apply(&restored, "x/b", "seven_day 5 99h")
	if got, want := show(&restored, 0), "x seven_day 0.05 99h0m0s"; got != want {
		t.Errorf("after two reports: got %q, want %q", got, want)
	}
	if err := restored.Restore(nil, start); err != nil {
		t.Error(err)
	}
	if err := restored.Restore([]byte("[{"), start); err == nil {
		t.Error("damaged: no error")
	}
}

// Windows that no session could report are not restored.
func TestRestoreInvalid(t *testing.T) {
	for _, test := range []struct {
		window string
		used   float64
		ahead  time.Duration
		want   string
	}{
		{"five_hour", 10, 5 * time.Hour, "five_hour 10 5h0m0s"},
		{"one_hour", 0.5, 700 * time.Hour, "one_hour 0.5 700h0m0s"},
		{"one_hour", 0.5, 800 * time.Hour, ""},
		{"", 0.5, time.Hour, ""},
		{"five_hour", -0.1, time.Hour, ""},
		{"five_hour", 10.1, time.Hour, ""},
		{"five_hour", 0.5, 0, ""},
		{"five_hour", 0.5, 6 * time.Hour, ""},
	} {
		b, err := json.Marshal([]Window{{Name: test.window, Used: test.used, Resets: start.Add(test.ahead)}})
		if err != nil {
			t.Fatal(err)
		}
		var s Store
		if err := s.Restore(b, start); err != nil {
			t.Error(err)
		}
		if got := show(&s, 0); got != test.want {
			t.Errorf("%s: got %q, want %q", b, got, test.want)
		}
	}
}

// The number of remembered sessions is limited.
func TestManySessions(t *testing.T) {
	var s Store
	for i := range 10 * maxSessions {
		apply(&s, fmt.Sprint("/", i), fmt.Sprintf("five_hour %d 3h", i%100))
	}
	if n := len(s.windows[place{"five_hour", ""}].sessions.values); n != maxSessions {
		t.Errorf("got %d sessions, want %d", n, maxSessions)
	}
	if got, want := show(&s, 0), "five_hour 0.99 3h0m0s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// After many sessions, a new session becomes known, too. The session whose report is
// oldest is forgotten, not a session that repeats its numbers.
func TestForgottenSession(t *testing.T) {
	var s Store
	apply(&s, "/idle", "five_hour 60 3h")
	apply(&s, "/ended", "five_hour 60 3h")
	for i := range maxSessions - 1 {
		apply(&s, "/idle", "five_hour 60 3h")
		apply(&s, fmt.Sprint("/", i), "five_hour 60 3h")
	}
	for _, test := range []struct {
		session string
		want    string
	}{{"/ended", "five_hour 0.6 3h0m0s"}, {"/idle", "five_hour 0.5 3h0m0s"}, {"/ended", "five_hour 0.5 3h0m0s"}} {
		apply(&s, test.session, "five_hour 50 3h")
		if got := show(&s, 0); got != test.want {
			t.Errorf("after a report of %s: got %q, want %q", test.session, got, test.want)
		}
	}
	apply(&s, "/new", "five_hour 40 3h")
	apply(&s, "/new", "five_hour 41 3h")
	if got, want := show(&s, 0), "five_hour 0.41 3h0m0s"; got != want {
		t.Errorf("after two reports of a new session: got %q, want %q", got, want)
	}
}

func TestNames(t *testing.T) {
	var s Store
	apply(&s, "/a", "seven_day 20 99h", "five_hour 90 3h")
	var names []string
	for _, w := range s.Windows(start) {
		names = append(names, w.Name)
	}
	if !slices.IsSorted(names) || len(names) != 2 {
		t.Errorf("got %v", names)
	}
}
