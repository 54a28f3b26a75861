package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// An unknownError is the error of a label value without usage.
type unknownError struct {
	noun, value string
	known       []string // values with usage, the most used first
}

// maxListed is the number of known values in an error.
const maxListed = 20

func (e unknownError) Error() string {
	text := fmt.Sprintf("no usage of the %s %s", e.noun, terminal.Printable(e.value))
	if len(e.known) == 0 {
		return text
	}
	names := make([]string, 0, maxListed)
	for _, name := range e.known[:min(len(e.known), maxListed)] {
		names = append(names, cmp.Or(terminal.Printable(name), `""`))
	}
	text += "; there is " + strings.Join(names, ", ")
	if more := len(e.known) - len(names); more > 0 {
		text += " and " + format.Number(more) + " more"
	}
	return text
}

// usage returns the usage that the flags select. It returns an error if a project or
// model of the flags never had usage.
func (r *reportCommand) usage(from source, parameters url.Values, log *slog.Logger) (usage.Usage, error) {
	u, err := from.usage(parameters)
	if err == nil && len(u.Rows) == 0 {
		logEmpty(from, log)
	}
	// With a single project and model, rows prove that both exist.
	if err != nil || len(u.Rows) > 0 && len(r.project) < 2 && len(r.model) < 2 {
		return u, err
	}
	if err := checkKnown("project", "project", r.project, from); err != nil {
		return u, err
	}
	return u, checkKnown(usage.ModelNameLabel, "model", r.modelNames(), from)
}

// checkKnown returns an error if a value of a label never had usage.
func checkKnown(label, noun string, values []string, from source) error {
	if len(values) == 0 {
		return nil
	}
	u, err := from.usage(url.Values{"by": {label}})
	if err != nil {
		return err
	}
	slices.SortStableFunc(u.Rows, func(a, b usage.Row) int { return cmp.Compare(b.Values.Tokens(), a.Values.Tokens()) })
	var known []string
	for i := range u.Rows {
		known = append(known, u.Rows[i].Labels[0])
	}
	for _, value := range values {
		if !slices.Contains(known, value) {
			return unknownError{noun, value, known}
		}
	}
	return nil
}

// modelNames returns the names of the selected models.
func (r *reportCommand) modelNames() (names []string) {
	for _, id := range r.model {
		names = append(names, usage.ModelName(id))
	}
	return names
}

// checkProject returns an error if no session in last belongs to a project.
func checkProject(project string, last api.Sessions) error {
	var known []string
	for i := range last.Sessions {
		if name := last.Sessions[i].Project; !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	if slices.Contains(known, project) {
		return nil
	}
	return unknownError{"project", project, known}
}
