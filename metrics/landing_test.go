package metrics

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestLandingPage(t *testing.T) {
	for _, test := range []struct {
		name          string
		change        func(*site)
		want, without []string
	}{
		{
			name:    "looking for files",
			change:  func(s *site) { s.ready.Store(false) },
			want:    []string{"Looking for sessions.", `http-equiv="refresh"`, "<title>ccwatchd · 0 %</title>", "version 1.2.3"},
			without: []string{"<progress", "state ready"},
		},
		{
			name: "catching up",
			change: func(s *site) {
				s.ready.Store(false)
				s.progress = Progress{Files: 1200, FilesTotal: 5000, Bytes: 420_000_000, BytesTotal: 1_400_000_000, Left: 8 * time.Second}
			},
			want: []string{`<progress max="100" value="30">`, "30 %: 1\u202f200 of 5\u202f000 files, 420 MB of 1.4 GB, about 8 seconds left", `http-equiv="refresh"`},
		},
		{
			name:   "unknown time left",
			change: func(s *site) { s.ready.Store(false); s.progress = Progress{FilesTotal: 1, BytesTotal: 10} },
			want:   []string{"0 %: 0 of 1 file, 0 bytes of 10 bytes<"},
		},
		{
			name: "ready",
			change: func(s *site) {
				s.summary = Summary{Files: 31, Sessions: 12, LastActivity: time.UnixMilli(born).Add(-3 * time.Minute)}
			},
			want:    []string{`<p class="state ready">Ready</p>`, "<dd>12</dd>", "<dd>31</dd>", "<dd>3 minutes ago</dd>"},
			without: []string{"refresh", "<progress", "No sessions yet"},
		},
		{
			name:    "no sessions",
			want:    []string{"No sessions yet.", "names no existing directory"},
			without: []string{"<dl>"},
		},
		{
			name: "sources",
			change: func(s *site) {
				s.dirs = []WatchedDir{{Path: "/home/a/<b>&c"}, {Path: "/srv", Labels: 1}, {Path: "/opt", Labels: 2}}
			},
			want: []string{
				"<code>/home/a/&lt;b&gt;&amp;c</code></li>",
				`<code>/srv</code> <span class="soft">1 label</span>`, `<code>/opt</code> <span class="soft">2 labels</span>`, "state ready",
			},
			without: []string{"problem\""},
		},
		{
			name: "unreadable",
			change: func(s *site) {
				s.dirs = []WatchedDir{{Path: "/srv", Labels: 1, Unreadable: 1}, {Path: "/opt", Unreadable: 2}}
			},
			want: []string{
				`<p class="state">Ready, with problems</p>`, `<p class="problem">1 file or directory in /srv cannot be read: `,
				`1 label</span> <span class="problem">1 file or directory unreadable</span></li>`,
				`<code>/opt</code> <span class="problem">2 files or directories unreadable</span></li>`,
			},
			without: []string{"state ready"},
		},
		{
			name:    "paused",
			change:  func(s *site) { s.summary.Paused = true },
			want:    []string{`<p class="state">Ready, with problems</p>`, `<p class="problem">The counters are paused`},
			without: []string{"state ready"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite()
			if test.change != nil {
				test.change(s)
			}
			got := body(t, s.request("GET", "/"))
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
			for _, text := range test.without {
				if strings.Contains(got, text) {
					t.Errorf("%q is in\n%s", text, got)
				}
			}
			if n := s.source.calls.Load(); n != 0 {
				t.Errorf("the page took %d snapshots, want none", n)
			}
		})
	}
}

// The policy allows everything that the page uses.
func TestLandingPagePolicy(t *testing.T) {
	r := newSite().request("GET", "/")
	page := body(t, r)
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)
	if style == nil {
		t.Fatal("the page has no style")
	}
	sum := sha256.Sum256([]byte(style[1]))
	if want, got := "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", r.Header.Get("Content-Security-Policy"); !strings.Contains(got, want) {
		t.Errorf("got policy %q, want %s in it", got, want)
	}
	if other := regexp.MustCompile(`<script|<img|<link| style=| src=|url\(|@import`).FindString(page); other != "" {
		t.Errorf("the page has %q, which the policy forbids", other)
	}
}

func TestFormatting(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB", 9949: "9.9 kB", 9951: "10 kB", 999_499: "999 kB",
		999_500: "1.0 MB", 409_000_000: "409 MB", 3_400_000_000: "3.4 GB", 7_000_000_000_000_000: "7000 TB",
	} {
		if got := formatSize(n); got != want {
			t.Errorf("formatSize(%d): got %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "1 second", 59 * time.Second: "59 seconds", time.Minute: "1 minute", 59*time.Minute + 59*time.Second: "59 minutes",
		time.Hour: "1 hour", 47 * time.Hour: "47 hours", 48 * time.Hour: "2 days",
	} {
		if got := formatDuration(d); got != want {
			t.Errorf("formatDuration(%v): got %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1\u202f000", 1234567: "1\u202f234\u202f567"} {
		if got := formatNumber(n); got != want {
			t.Errorf("formatNumber(%d): got %q, want %q", n, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for p, want := range map[Progress]int{
		{}: 0, {Bytes: 1, BytesTotal: 3}: 33, {Bytes: 999, BytesTotal: 1000}: 99, {Bytes: 3, BytesTotal: 3}: 100,
		{Bytes: 9, BytesTotal: 3}: 100, {Bytes: -1, BytesTotal: 3}: 0, {Bytes: 1 << 62, BytesTotal: 1<<63 - 1}: 50,
	} {
		if got := p.Percent(); got != want {
			t.Errorf("%+v: got %d, want %d", p, got, want)
		}
	}
}
