package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/usagetest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// check compares parts of a page.
func check(t *testing.T, page string, want, without []string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("%q is missing in\n%s", text, difftest.Head(page))
		}
	}
	for _, text := range without {
		if _, rest, found := strings.Cut(page, text); found {
			t.Errorf("%q is in the page, before\n%s", text, difftest.Head(rest))
		}
	}
}

func TestStates(t *testing.T) {
	for _, test := range []struct {
		name, scene   string
		change        func(*usagetest.Scene)
		want, without []string
	}{
		{
			name: "looking for files", scene: "looking",
			want:    []string{"Looking for sessions.", "<title>0 % · ccwatchd</title>", "ccwatchd 1.2.3", "/home/ann/.claude"},
			without: []string{"<progress", "state good", "Prompt cache"},
		},
		{
			name: "catching up", scene: "catching-up",
			want: []string{
				`<progress max="100" value="30"`, "30 %: 1,200 of 5,000 files, 420 MB of 1.4 GB, about 8 seconds left",
				"<title>30 % · ccwatchd</title>", "Catching up",
			},
		},
		{
			name: "unknown time left", scene: "looking",
			change: func(s *usagetest.Scene) { s.Progress = status.Progress{FilesTotal: 1, BytesTotal: 10} },
			want:   []string{"0 %: 0 of 1 file, 0 bytes of 10 bytes<"},
		},
		{
			name: "problem before everything was read", scene: "looking",
			change: func(s *usagetest.Scene) { s.Status.Problems = []string{"A problem"} },
			want:   []string{">Problems</h2>", "A problem."},
		},
		{
			name: "no usage", scene: "empty",
			want:    []string{"No usage yet", "<code>claude</code>", "names no existing directory", "0 transcripts present, 0 sessions counted"},
			without: []string{`class="plot"`, "Recorded since", "last activity"},
		},
		{
			name: "usage", scene: "ordinary",
			want: []string{
				`<p class="state good">Ready`, "last activity 3 minutes ago", "431 transcripts present, 408 sessions counted", "Recorded since 30 August 2026",
				"Compared with yesterday up to 15:45.", "Compared with the 7 days before.", "14 October 2026 – 12 November 2026", "list-price estimate",
				"not the bill of a subscription", "Days begin at midnight, UTC.", `1 label</span>`,
			},
			without: []string{"No comparison", "Looking for", "history: off", "without a date"},
		},
		{
			name: "young record", scene: "first-week",
			want:    []string{"Compared with yesterday", nothingBefore, unknownBefore},
			without: []string{"Compared with the 7 days before", `"number">$0.00`},
		},
		{
			name: "counting began today", scene: "ordinary",
			change:  func(s *usagetest.Scene) { bornAt(s, now.Add(-time.Hour)) },
			want:    []string{"Compared with yesterday", "Compared with the 7 days before.", unknownBefore},
			without: []string{"Compared with the 30 days", "Percentages compare"},
		},
		{
			name: "counting began 29 days ago", scene: "ordinary",
			change:  func(s *usagetest.Scene) { bornAt(s, now.AddDate(0, 0, -29)) },
			want:    []string{"Compared with the 7 days before.", unknownBefore},
			without: []string{"Compared with the 30 days"},
		},
		{
			name: "counting began 30 days ago", scene: "ordinary",
			change:  func(s *usagetest.Scene) { bornAt(s, now.AddDate(0, 0, -30)) },
			want:    []string{"Compared with the 7 days before.", "Compared with the 30 days before."},
			without: []string{"No comparison"},
		},
		{
			name: "counting began today, with sessions of 75 days", scene: "ordinary",
			change:  func(s *usagetest.Scene) { s.History.Birth = now.Add(-time.Hour).UnixMilli() },
			want:    []string{"Compared with yesterday", "Compared with the 7 days before.", "Compared with the 30 days before."},
			without: []string{"No comparison"},
		},
		{
			name: "problems", scene: "problems",
			want: []string{
				`<p class="state bad">Ready, with <a href="#problems">problems</a>`, "3 files or directories in /home/ann/.claude/projects cannot be read: the log has the reason",
				"The counters are paused because", "Missing in the costs are models without a known price: claude-next-1 (", "does not know, so counters may be incomplete: new_tokens.",
				"The last error, 5 minutes ago: Failed to save the state: no space left on device.", "operations.md#troubleshooting", "pricing.md#prices-of-your-own",
				`<li class="missing"><code><bdi>/home/ann/.config/claude/projects</bdi></code> <span class="soft">does not exist</span>`,
				"alerts.md#ccwatchdformatunknown", `<strong class="bad">3 files or directories unreadable</strong> <span class="soft">2 links not followed</span>`,
			},
			without: []string{"state good", "ordinary", "-home-ann-secret"},
		},
		{
			name: "history off", scene: "off",
			want:    []string{"The history is off", "Counted while no history was recorded", "<dt>Cost</dt>", "<dt>Tokens</dt>"},
			without: []string{"Recorded since", `class="plot"`, `class="filters"`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := usagetest.NewScene(test.scene, now)
			if test.change != nil {
				test.change(&s)
			}
			code, page := get(t, newTestPage(s), "")
			if code != http.StatusOK {
				t.Errorf("status %d", code)
			}
			check(t, page, test.want, test.without)
		})
	}
}

// bornAt sets when counting began. No session from before is known.
func bornAt(s *usagetest.Scene, at time.Time) {
	s.History.Birth = at.UnixMilli()
	s.Sessions = func(ledger.SessionQuery) (none ledger.SessionList) { return none }
}

// Many sources are folded.
func TestManyDirectories(t *testing.T) {
	s := ordinary()
	s.Status.Directories = make([]status.WatchedDir, 200)
	_, page := get(t, newTestPage(s), "")
	first, more, _ := strings.Cut(page, "<summary>192 more sources</summary>")
	if a, b := strings.Count(first, "<li><code>"), strings.Count(more, "<li><code>"); a != shownDirectories || b != 192 {
		t.Errorf("got %d directories and %d more", a, b)
	}
}

// The policy allows everything that the page uses, and nothing else.
func TestPolicy(t *testing.T) {
	p := newTestPage(ordinary())
	_, page := get(t, p, "")
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)
	if style == nil {
		t.Fatal("the page has no style")
	}
	sum := sha256.Sum256([]byte(style[1]))
	want := "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if got := p.Policy(); got != want {
		t.Errorf("got policy %q, want %q", got, want)
	}
	if other := regexp.MustCompile(`<script|<img|<link rel="[^i]|<form| style=| src=|url\(|@import`).FindString(page); other != "" {
		t.Errorf("the page has %q, which the policy forbids", other)
	}
}

// While nothing may be exposed, the page has no numbers.
func TestStopping(t *testing.T) {
	p := newTestPage(ordinary(), func(o *Options) {
		o.History = func() (counters.History, bool) { return counters.History{}, false }
	})
	code, page := get(t, p, "")
	if code != http.StatusServiceUnavailable {
		t.Errorf("status %d", code)
	}
	check(t, page, []string{"Nothing to show", "/home/ann/.claude/projects"}, []string{"Tokens", "$"})
}

// A request waits until the present computation ends, or its client disconnects.
func TestOneAtATime(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	s := ordinary()
	p := newTestPage(s, func(o *Options) {
		o.History = func() (counters.History, bool) {
			inside <- struct{}{}
			<-leave
			return s.History, true
		}
	})
	done := make(chan int)
	go func() {
		code, _ := get(t, p, "")
		done <- code
	}()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if err := p.begin(ctx); err == nil {
			t.Fatal("two requests are computed at once")
		}
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody).WithContext(ctx))
	if w.Body.Len() > 0 {
		t.Errorf("the second request was answered with %s", w.Body)
	}
	close(leave)
	if code := <-done; code != http.StatusOK {
		t.Errorf("the first request has status %d", code)
	}
}

func TestUnknownFormatOfOrdinaryKinds(t *testing.T) {
	for _, kind := range transcript.UnknownKinds {
		s := status.Status{UnknownFormat: []transcript.UnknownItem{{Kind: kind, Name: "a"}}}
		if all := (&frame{Status: s}).problems(now); (len(all) == 1) != slices.Contains(transcript.AlarmingKinds, kind) {
			t.Errorf("%s: got %v", kind, all)
		}
	}
	s := status.Status{UnknownFormat: []transcript.UnknownItem{{Kind: "subtype", Name: "a"}}}
	for range 12 {
		s.UnknownFormat = append(s.UnknownFormat, transcript.UnknownItem{Kind: "type", Name: "x"})
	}
	if all := (&frame{Status: s}).problems(now); len(all) != 1 || !strings.HasSuffix(all[0].Text, "x, x, x, x, x, x, x, x and 4 more.") {
		t.Errorf("got %v", all)
	}
}

// The page lists every project, and says when /metrics does not expose all by name, if
// a server reads them.
func TestFoldedProjects(t *testing.T) {
	s := ordinary()
	const note = "Prometheus sees "
	_, page := get(t, newTestPage(s), "")
	check(t, page, []string{">infra<"}, []string{note})
	s.History.Folded = map[string]int{"project": 70}
	_, page = get(t, newTestPage(s), "?project=infra")
	check(t, page, nil, []string{note, "Prometheus", "Grafana"})
	_, page = get(t, newTestPage(s, func(o *Options) { o.IsExported = func() bool { return true } }), "?project=infra")
	check(t, page, []string{"Worth knowing", "Metrics</a> for Prometheus", note + "70 projects together as &#34;other&#34;", "configuration.md#how-many-values-a-label-has"}, nil)
}

// The header states the number of all live sessions, whatever is selected.
func TestLiveSessions(t *testing.T) {
	s := ordinary()
	s.Sessions = func(ledger.SessionQuery) ledger.SessionList { return ledger.SessionList{Live: 7} }
	_, page := get(t, newTestPage(s), "?project=infra")
	check(t, page, []string{"7 live sessions, last activity"}, []string{"7 live</span>"})
}

// A model without a price has no share of the cost, rather than 0 %.
func TestShareWithoutPrice(t *testing.T) {
	_, page := get(t, newTestPage(ordinary()), "")
	check(t, page, []string{"<td>no price</td><td>17M</td><td>–</td>"}, nil)
}

// Pages stay small.
func TestSize(t *testing.T) {
	const limit = 200_000
	for _, scene := range []usagetest.Scene{heavy(), usagetest.NewScene("hostile", now)} {
		p := newTestPage(scene)
		for _, period := range periods(now) {
			if _, page := get(t, p, "?range="+period.name); len(page) > limit {
				t.Errorf("%s, %s: %d bytes", scene.Name, period.name, len(page))
			}
		}
	}
}

// The zone of the page decides when days begin.
func TestZone(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600) // there it is already tomorrow
	p := newTestPage(ordinary(), func(o *Options) { o.Location = func() *time.Location { return tokyo } })
	_, page := get(t, p, "?range=today")
	check(t, page, []string{"13 November 2026", "yesterday up to 00:45", "JST (UTC&#43;09:00)"}, nil)
}

// The browser loads a page again if the page will change, unless the URL turns it off.
func TestReload(t *testing.T) {
	for _, test := range []struct{ scene, url, refresh, link string }{
		{scene: "looking", refresh: "2"},
		{scene: "empty", refresh: "60"},
		{scene: "ordinary", refresh: "60", link: `href="?range=30d&amp;reload=off">turn off`},
		{scene: "ordinary", url: "?range=7d&reload=off", link: `href="?range=7d">turn on`},
		{scene: "ordinary", url: "?from=2026-11-12&to=2026-11-12", refresh: "60", link: "turn off"},
		{scene: "ordinary", url: "?range=last-month"},
		{scene: "ordinary", url: "?to=2026-11-11"},
		{scene: "ordinary", url: "?range=2d"}, // a mistake
	} {
		w := httptest.NewRecorder()
		newTestPage(usagetest.NewScene(test.scene, now)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+test.url, http.NoBody))
		if got := w.Header().Get("Refresh"); got != test.refresh {
			t.Errorf("%s%s: got Refresh %q, want %q", test.scene, test.url, got, test.refresh)
		}
		if page := w.Body.String(); !strings.Contains(page, test.link) || strings.Contains(page, ">turn o") != (test.link != "") && test.scene != "empty" {
			t.Errorf("%s%s: the link %q is missing, or there is one", test.scene, test.url, test.link)
		}
	}
}

// Requests from this machine see the path of an unreadable directory.
func TestUnreadableDirectory(t *testing.T) {
	const path = "/home/ann/.claude/projects/-home-ann-secret"
	p := newTestPage(usagetest.NewScene("problems", now))
	for address, want := range map[string]bool{"127.0.0.1": true, "::1": true, "192.0.2.7": false} {
		at := &net.TCPAddr{IP: net.ParseIP(address), Port: 10229}
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at)))
		if got := strings.Contains(w.Body.String(), "unreadable</strong>, such as <code><bdi>"+path); got != want {
			t.Errorf("%s: the page has the path: %v", address, got)
		}
	}
}
