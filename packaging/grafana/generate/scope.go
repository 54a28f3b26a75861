package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A scope has the labels of each series, which decide which variables filter it. In a
// fleet, all series have the labels user and host, including the daemons' own.
type scope struct {
	labels map[string][]string
	fleet  bool
}

// selector matches a series and its matchers in an expression.
var selector = regexp.MustCompile(`\b((?:claude|ccwatchd)_\w+|process_\w+|go_\w+|up)\b(\{[^}]*\})?`)

// familyRow matches a row of the tables in docs/metrics.md: a family, its labels and,
// of a histogram, its buckets.
var familyRow = regexp.MustCompile("(?m)^\\| `((?:claude|ccwatchd)_\\w+)(?:{([\\w,]+)})?` \\| .*?( Buckets: .*)?\\|$")

// readScope reads the families from docs/metrics.md.
func readScope(page string) (scope, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return scope{}, fmt.Errorf("read the metrics: %w", err)
	}
	labels := map[string][]string{}
	for _, row := range familyRow.FindAllStringSubmatch(string(text), -1) {
		of := strings.FieldsFunc(row[2], func(r rune) bool { return r == ',' })
		for _, name := range series(row[1], row[3] != "") {
			labels[name] = of
		}
	}
	if len(labels) == 0 {
		return scope{}, fmt.Errorf("read the metrics: no table of families in %s", page)
	}
	return scope{labels: labels}, nil
}

// series returns the names of the series of a family.
func series(family string, histogram bool) []string {
	if histogram {
		return []string{family + "_bucket", family + "_sum", family + "_count"}
	}
	return []string{family}
}

// filter adds the matchers of applicable variables to all selectors of an expression
// and, unless required is empty, a matcher for this label.
func (s scope) filter(expr, required string) (string, error) {
	var unknown error
	filtered := selector.ReplaceAllStringFunc(expr, func(selected string) string {
		part := selector.FindStringSubmatch(selected)
		if _, known := s.labels[part[1]]; !known && (strings.HasPrefix(part[1], "claude_") || strings.HasPrefix(part[1], "ccwatchd_")) {
			unknown = fmt.Errorf("filter %q: unknown series %s", expr, part[1])
		}
		var matchers []string
		for _, name := range s.variables(part[1]) {
			matchers = append(matchers, fmt.Sprintf(`%s=~"$%s"`, name, name))
		}
		if required != "" {
			matchers = append(matchers, required+`!=""`)
		}
		if own := strings.Trim(part[2], "{}"); own != "" {
			matchers = append(matchers, own)
		}
		return part[1] + "{" + strings.Join(matchers, ",") + "}"
	})
	return filtered, unknown
}

// variables returns the variables that filter a series. Sources can have the label
// user, and with them all series of Claude Code.
func (s scope) variables(series string) []string {
	names := []string{"job", "instance"}
	claude := strings.HasPrefix(series, "claude_")
	if claude || s.fleet {
		names = append(names, "user")
	}
	if s.fleet {
		names = append(names, "host")
	}
	if !claude {
		return names
	}
	for _, name := range []string{"project", "model"} {
		if slices.Contains(s.labels[series], name) {
			names = append(names, name)
		}
	}
	return names
}

// caveat names the variables that do not filter some of the expressions, since not all
// series of Claude Code have the same labels.
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
	var caveats []string
	for _, name := range []string{"project", "model"} {
		switch missing[name] {
		case 0:
		case total:
			caveats = append(caveats, fmt.Sprintf("The variable %s does not apply.", name))
		default:
			caveats = append(caveats, fmt.Sprintf("The variable %s applies only in part.", name))
		}
	}
	return strings.Join(caveats, " ")
}
