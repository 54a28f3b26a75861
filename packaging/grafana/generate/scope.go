package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A scope knows the labels of each family, and by that which variables of the
// dashboards can narrow it.
type scope struct {
	labels map[string][]string
}

// What a family is called in an expression, and what is asked of it.
var selector = regexp.MustCompile(`\b((?:claude|ccwatchd)_\w+|process_\w+|go_\w+|up)\b(\{[^}]*\})?`)

// A row of the tables of families in docs/metrics.md.
var familyRow = regexp.MustCompile("(?m)^\\| `((?:claude|ccwatchd)_\\w+)` \\| (\\w+) \\| ([^|]*) \\|")

// readScope reads the families from the page that documents them.
func readScope(page string) (scope, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return scope{}, fmt.Errorf("read the metrics: %w", err)
	}
	labels := map[string][]string{}
	for _, row := range familyRow.FindAllStringSubmatch(string(text), -1) {
		of := strings.FieldsFunc(row[3], func(r rune) bool { return strings.ContainsRune("`, ", r) })
		for _, name := range series(row[1], row[2]) {
			labels[name] = of
		}
	}
	if len(labels) == 0 {
		return scope{}, fmt.Errorf("read the metrics: %s has no table of them", page)
	}
	return scope{labels}, nil
}

// series returns the names under which a family is stored.
func series(family, kind string) []string {
	if kind == "histogram" {
		return []string{family + "_bucket", family + "_sum", family + "_count"}
	}
	return []string{family}
}

// narrow adds to everything that an expression selects the matchers of the
// variables that apply to it.
func (s scope) narrow(expr string) (string, error) {
	var unknown error
	narrowed := selector.ReplaceAllStringFunc(expr, func(selected string) string {
		part := selector.FindStringSubmatch(selected)
		if _, known := s.labels[part[1]]; !known && (strings.HasPrefix(part[1], "claude_") || strings.HasPrefix(part[1], "ccwatchd_")) {
			unknown = fmt.Errorf("narrow %q: there is no %s", expr, part[1])
		}
		var matchers []string
		for _, name := range s.variables(part[1]) {
			matchers = append(matchers, fmt.Sprintf(`%s=~"$%s"`, name, name))
		}
		if own := strings.Trim(part[2], "{}"); own != "" {
			matchers = append(matchers, own)
		}
		return part[1] + "{" + strings.Join(matchers, ",") + "}"
	})
	return narrowed, unknown
}

// variables returns the variables that narrow a series. The user is a label of
// the sources, and so of all that was seen of Claude Code.
func (s scope) variables(series string) []string {
	names := []string{"job", "instance"}
	if !strings.HasPrefix(series, "claude_") {
		return names
	}
	names = append(names, "user")
	for _, name := range []string{"project", "model"} {
		if slices.Contains(s.labels[series], name) {
			names = append(names, name)
		}
	}
	return names
}

// caveat says which choices do not narrow what the expressions show, for what
// was seen of Claude Code does not all have the same labels.
func (s scope) caveat(exprs []string) string {
	missing := map[string]int{}
	total := 0
	for _, expr := range exprs {
		for _, part := range selector.FindAllStringSubmatch(expr, -1) {
			if !strings.HasPrefix(part[1], "claude_") {
				continue
			}
			total++
			for _, name := range []string{"project", "model"} {
				if !slices.Contains(s.labels[part[1]], name) {
					missing[name]++
				}
			}
		}
	}
	var said []string
	for _, name := range []string{"project", "model"} {
		switch missing[name] {
		case 0:
		case total:
			said = append(said, fmt.Sprintf("The chosen %s does not narrow this.", name))
		default:
			said = append(said, fmt.Sprintf("The chosen %s narrows only a part of this.", name))
		}
	}
	return strings.Join(said, " ")
}
