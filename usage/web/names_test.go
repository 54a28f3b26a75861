package web

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/usagetest"
)

func TestShown(t *testing.T) {
	for name, want := range map[string]string{
		"web": "web", "": "(none)", " ": "‹0020›", "a b": "a b", "<b>": "<b>", "a\u202eb": "a‹202E›b", "a\u200bb\ufeff": "a‹200B›b‹FEFF›",
		"a\u2028b\u0085": "a‹2028›b‹0085›", "日本": "日本", "\u3164": "‹3164›", "a\ufe0e": "a‹FE0E›", "❤\ufe0f": "❤\ufe0f",
		"z\u0301\u0302\u0303": "z\u0301\u0302‹0303›", strings.Repeat("x", 40): strings.Repeat("x", 40),
		strings.Repeat("x", 30) + strings.Repeat("y", 30): strings.Repeat("x", 20) + "…" + strings.Repeat("y", 19),
	} {
		if got := shown(name); got != want {
			t.Errorf("shown(%q): got %q, want %q", name, got, want)
		}
	}
}

// Names from files add no element or attribute to the page, and nothing invisible.
func TestHostileNames(t *testing.T) {
	s := usagetest.NewScene("hostile", now)
	all := s.Sessions
	s.Sessions = func(q ledger.SessionQuery) ledger.SessionList {
		list := all(q)
		for i := range list.Sessions {
			list.Sessions[i].ID = "<b>\u202e"
		}
		return list
	}
	s.Status.Problems = []string{"<script>\u202e"}
	p := newTestPage(s)
	start := "?range=all&model=%3Cscript%3Ealert(1)%3C%2Fscript%3E"
	for _, url := range []string{"", "?show=tokens", start, "?project=%3Cscript%3E", "?range=%22%3E%3Cimg%3E", "?open=limits+model+project+calendar+heat+tools", "sessions?range=all", "projects", "models?range=all"} {
		_, page := get(t, p, url)
		checkTags(t, page)
		for _, r := range html.UnescapeString(page) {
			if !unicode.IsGraphic(r) && r != '\n' {
				t.Errorf("%s: the page has %U", url, r)
				break
			}
		}
		if url == start {
			check(t, page, []string{"&lt;script&gt;alert(1)&lt;/script&gt;", "a‹202E›gnp.exe‹2066›b"}, nil)
		}
	}
}

// checkTags checks that a page has no other elements and attributes than the templates.
func checkTags(t *testing.T, page string) {
	t.Helper()
	const (
		elements   = " html head meta title style body a header div h1 h2 p main section ul li code bdi strong span footer nav article b details summary dl dt dd table thead tbody tr th td svg text desc g line rect q "
		attributes = " lang charset name content class href id rel aria-labelledby aria-label aria-current aria-expanded aria-hidden aria-sort role scope tabindex x y x1 x2 y1 y2 dy rx width height "
	)
	_, body, _ := strings.Cut(page, "</style>")
	for _, tag := range regexp.MustCompile(`<(/?)([^\s>]*)([^>]*)>`).FindAllStringSubmatch(body, -1) {
		if !strings.Contains(elements, " "+tag[2]+" ") {
			t.Errorf("the page has %s", tag[0])
		}
		for _, attribute := range regexp.MustCompile(`\s([^\s=]+)="[^"]*"`).FindAllStringSubmatch(tag[3], -1) {
			if !strings.Contains(attributes, " "+attribute[1]+" ") {
				t.Errorf("the page has %s", tag[0])
			}
		}
		if rest := regexp.MustCompile(`\s[^\s=]+="[^"]*"`).ReplaceAllString(tag[3], ""); rest != "" && rest != "/" {
			t.Errorf("the page has %s", tag[0])
		}
	}
}

// Every link of the page to a selection works, however names are written.
func TestHostileLinks(t *testing.T) {
	p := newTestPage(usagetest.NewScene("hostile", now))
	_, page := get(t, p, "")
	links := selectionLinks(page)
	if len(links) < 40 {
		t.Fatalf("got %d links", len(links))
	}
	for _, link := range links {
		if status, _ := get(t, p, link); status != http.StatusOK {
			t.Errorf("%s has status %d", link, status)
		}
	}
}
