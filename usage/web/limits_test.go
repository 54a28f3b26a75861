package web

import (
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/status"
)

func TestLimits(t *testing.T) {
	ann := string(counters.NewSourceLabels(map[string]string{"user": "ann", "team": ""}))
	const block = "Block of 5 hours"
	morning := ordinary()
	morning.Now = now.Add(-5 * time.Hour)
	_, page := get(t, newTestPage(morning), "")
	check(t, page, []string{block, `<p class="used">$`, "Began at 08:00.", "Ends at 13:00, in 2h15m.", "docs/terminal.md#usage-limits"}, []string{"Resets", "used</span>"})
	for _, test := range []struct {
		name          string
		windows       []limits.Window
		want, without []string
	}{
		{
			"on course",
			[]limits.Window{{Name: limits.FiveHours, Source: ann, Used: 0.25, Resets: now.Add(150 * time.Minute)}},
			[]string{
				`<h2><bdi>5 hours</bdi> <span class="soft"><bdi>ann</bdi></span></h2>`, "25\u202f% <span", "At this pace 50\u202f% at the reset.",
				"Resets at 18:15, in 2h30m.", `class="ahead" width="50.00%"`, `class="fill" width="25.00%"`,
			},
			[]string{block, "limit near"},
		},
		{
			"full early",
			[]limits.Window{{Name: limits.SevenDays + "_opus", Used: 0.75, Resets: now.Add(84 * time.Hour)}},
			[]string{"<bdi>Week, opus</bdi>", "limit near", "At this pace full on Fri 13 Nov 19:45.", "Resets on Mon 16 Nov 03:45, in 3d12h."},
			nil,
		},
		{
			"over, and without a reset",
			[]limits.Window{{Name: "spend_limit", Used: 1.4}, {Name: limits.FiveHours}},
			[]string{"<bdi>spend limit</bdi>", "140\u202f%", "The reset is not known.", `class="fill" width="100.00%"`, "limit near", "0\u202f% <span"},
			[]string{block, "At this pace"},
		},
	} {
		s := ordinary()
		s.Limits = test.windows
		_, page := get(t, newTestPage(s), "")
		check(t, page, test.want, test.without)
	}
}

// The page explains limits that the daemon refuses, and asks for no line in a settings
// file alone.
func TestRefusedLimits(t *testing.T) {
	s := ordinary()
	s.Now = now.Add(-5 * time.Hour)
	s.Status.LimitsRefused = &status.LimitRefusal{Reason: "it reads files of other users"}
	_, page := get(t, newTestPage(s), "")
	const note = "refuses the usage limits that status lines report, because it reads files of other users"
	check(t, page, []string{"Block of 5 hours", "docs/terminal.md#who-may-report-limits"}, []string{"One line in a settings file", note})
	s.Status.LimitsRefused.Reports = 1
	_, page = get(t, newTestPage(s), "")
	check(t, page, []string{"Worth knowing", note, "How to accept them"}, []string{"One line in a settings file"})
}

// The limits of five hours and a week are first. If there are very many, the fullest
// are shown.
func TestOrderOfLimits(t *testing.T) {
	s := ordinary()
	all := []limits.Window{{Name: "a", Used: 0.5}, {Name: limits.SevenDays}, {Name: limits.FiveHours}}
	section := newLimits(all, &s.History, selection{}, now)
	if len(section.Windows) != 3 || section.Windows[0].Name != "5 hours" || section.Windows[1].Name != "Week" || section.Toggle.URL != "" {
		t.Errorf("got %+v", section)
	}
	for range 20 {
		all = append(all, limits.Window{Name: limits.FiveHours, Used: 0.4})
	}
	section = newLimits(all, &s.History, selection{}, now)
	if len(section.Windows) != maxWindows || section.Windows[0].Name != "a" || section.Toggle.Text != "All 23 limits" {
		t.Errorf("got %+v", section)
	}
	all[0].Source = string(counters.NewSourceLabels(map[string]string{"user": "ann"}))
	if section = newLimits(all, &s.History, selection{}, now); len(section.Windows) != maxTeamWindows || section.Windows[0].Source != "ann" {
		t.Errorf("got %+v of several sources", section)
	}
	section = newLimits(all, &s.History, selection{open: []string{limitsPart}}, now)
	if len(section.Windows) != 23 || section.Toggle.Text != "Only the fullest limits" || strings.Contains(section.Toggle.URL, "open=") {
		t.Errorf("got %+v", section)
	}
}
