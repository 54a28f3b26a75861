package docs_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every relative link, every link to this repository on GitHub and every mention
// of a document or a source file leads to an existing file, and every anchor to a
// heading.
func TestLinks(t *testing.T) {
	var (
		inline    = regexp.MustCompile(`\]\(<?([^)\s>]+)`)
		reference = regexp.MustCompile(`(?m)^\[[^]]+\]: (\S+)`)
		github    = regexp.MustCompile(`github\.com/ccwatchd/ccwatchd/(?:blob|tree)/main/([\w./-]+\w(?:#[\w-]+)?)`)
		mention   = regexp.MustCompile(`\bdocs/[\w/-]+\.md(?:#[\w-]+)?`)
		source    = regexp.MustCompile("`((?:[\\w.-]+/)+[\\w.-]+\\.(?:go|proto|rb|yml))`")
	)
	links := 0
	check := func(file, target string) {
		links++
		if problem := linkProblem(t, target); problem != "" {
			t.Errorf("%s: link to %s: %s", file, target, problem)
		}
	}
	eachFile(t, []string{".md"}, func(file, text string) {
		for _, m := range source.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(file, "packaging/") { // paths there are relative
				check(file, m[1])
			}
		}
		text = withoutCode(text)
		for _, m := range slices.Concat(inline.FindAllStringSubmatch(text, -1), reference.FindAllStringSubmatch(text, -1)) {
			switch target := m[1]; {
			case strings.Contains(target, ":"): // another site
			case strings.HasPrefix(target, "#"):
				check(file, file+target)
			default:
				check(file, path.Join(path.Dir(file), target))
			}
		}
	})
	eachFile(t, []string{".md", ".go", ".yml", ".json", ".html", ".proto", ".tmpl"}, func(file, text string) {
		for _, m := range github.FindAllStringSubmatch(text, -1) {
			check(file, m[1])
		}
		if path.Ext(file) != ".md" && path.Dir(file) != "docs" {
			for _, target := range mention.FindAllString(text, -1) {
				check(file, target)
			}
		}
	})
	if links < 200 {
		t.Errorf("found %d links, want at least 200", links)
	}
}

// The links of the page of the daemon lead to documents and headings.
func TestLinksOfThePage(t *testing.T) {
	var (
		inTemplate = regexp.MustCompile(`\{\{docs "([^"]+)"\}\}(#[\w-]+)?`)
		inCode     = regexp.MustCompile(`\bPage: +"([^"]+)"`)
	)
	links := 0
	eachFile(t, []string{".go", ".html"}, func(file, text string) {
		if !strings.HasPrefix(file, "usage/web/") {
			return
		}
		for _, m := range slices.Concat(inTemplate.FindAllStringSubmatch(text, -1), inCode.FindAllStringSubmatch(text, -1)) {
			links++
			target := "docs/" + strings.Join(m[1:], "")
			if problem := linkProblem(t, target); problem != "" {
				t.Errorf("%s: link to %s: %s", file, target, problem)
			}
		}
	})
	if links < 10 {
		t.Errorf("found %d links, want at least 10", links)
	}
}

// linkProblem returns why a link to a file of the repository, with or without
// an anchor, is broken, or "".
func linkProblem(t *testing.T, target string) string {
	t.Helper()
	file, anchor, anchored := strings.Cut(target, "#")
	if _, err := fs.Stat(root, file); err != nil {
		return err.Error()
	}
	if anchored && !slices.Contains(anchors(read(t, file)), anchor) {
		return "no such heading"
	}
	return ""
}

func TestLinkProblem(t *testing.T) {
	for target, ok := range map[string]bool{
		"README.md":                         true,
		"docs":                              true,
		"docs/design/counting.md#tools":     true,
		"docs/missing.md":                   false,
		"docs/design/counting.md#no-such-1": false,
	} {
		if problem := linkProblem(t, target); (problem == "") != ok {
			t.Errorf("%s: got %q, want none: %t", target, problem, ok)
		}
	}
}

// anchors returns the anchors that GitHub gives to the headings of a document.
func anchors(text string) []string {
	var (
		heading = regexp.MustCompile(`(?m)^#{1,6} +(.*?)\s*$`)
		link    = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
		dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
		seen    = make(map[string]int)
		all     []string
	)
	for _, m := range heading.FindAllStringSubmatch(withoutBlocks(text), -1) {
		anchor := dropped.ReplaceAllString(strings.ToLower(link.ReplaceAllString(m[1], "$1")), "")
		anchor = strings.ReplaceAll(anchor, " ", "-")
		if n := seen[anchor]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			all = append(all, anchor)
		}
		seen[anchor]++
	}
	return all
}

func TestAnchors(t *testing.T) {
	text := "# A `code`, and [more](x.md)\n```\n# comment\n```\n## Twice\n\n    # indented\n\n## Twice\n"
	want := []string{"a-code-and-more", "twice", "twice-1"}
	if got := anchors(text); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

var (
	fence    = regexp.MustCompile("(?s)```.*?```")
	indented = regexp.MustCompile(`(?m)^ {4}.*$`)
	span     = regexp.MustCompile("`[^`\n]*`")
)

// withoutBlocks returns a document without its code blocks.
func withoutBlocks(text string) string {
	return indented.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
}

// withoutCode returns a document without its code.
func withoutCode(text string) string {
	return span.ReplaceAllString(withoutBlocks(text), "code")
}

// Lines of prose have at most 100 characters, except where a single word is longer.
func TestDocumentsWrap(t *testing.T) {
	const width = 100
	eachFile(t, []string{".md"}, func(file, text string) {
		if dir := path.Dir(file); dir != "." && !strings.HasPrefix(dir, "docs") {
			return
		}
		text = withoutBlocks(text)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			table, image := strings.HasPrefix(strings.TrimSpace(line), "|"), strings.Contains(line, "![")
			if n := len([]rune(line)); n > width && !table && !image && len(strings.Fields(line)) > 2 {
				t.Errorf("%s: line of %d characters, want at most %d: %s", file, n, width, line)
			}
		}
	})
}

// The index links to every document.
func TestIndexIsComplete(t *testing.T) {
	index := read(t, "docs/README.md")
	eachFile(t, []string{".md"}, func(file, _ string) {
		name, isDocument := strings.CutPrefix(file, "docs/")
		if isDocument && name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/README.md has no link to %s", name)
		}
	})
}
