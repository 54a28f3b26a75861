package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// An unknownError is the error of a value that no usage has.
type unknownError struct {
	noun, value string
	known       []string // the most used ones first
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

// checkKnown returns an error if some value of a label has no usage. compute returns
// all usage by a label.
func checkKnown(label, noun string, values []string, compute func(label string) (usage.Usage, error)) error {
	if len(values) == 0 {
		return nil
	}
	u, err := compute(label)
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

// ask requests the usage from a daemon.
func (r *reportCommand) ask(ctx context.Context, client *statusclient.Client, parameters url.Values) (usage.Usage, error) {
	if err := r.checkSelected(func(label string) (usage.Usage, error) {
		return requestUsage(ctx, client, url.Values{"by": {label}})
	}); err != nil {
		return usage.Usage{}, err
	}
	return requestUsage(ctx, client, parameters)
}

// read computes the usage from session files.
func (r *reportCommand) read(reading *daemon.Reading, q usage.Query) (usage.Usage, error) {
	h := reading.History()
	if err := r.checkSelected(func(label string) (usage.Usage, error) {
		return usage.Compute(&h, usage.Query{By: []string{label}})
	}); err != nil {
		return usage.Usage{}, err
	}
	u, err := usage.Compute(&h, q)
	if err != nil {
		err = argumentError{err}
	}
	return u, err
}

// checkSelected returns an error if a project or a model of the flags has no usage.
func (r *reportCommand) checkSelected(compute func(label string) (usage.Usage, error)) error {
	return cmp.Or(
		checkKnown("project", "project", r.project, compute),
		checkKnown(usage.ModelNameLabel, "model", r.modelNames(), compute))
}

// modelNames returns the names of the selected models.
func (r *reportCommand) modelNames() (names []string) {
	for _, id := range r.model {
		names = append(names, usage.ModelName(id))
	}
	return names
}

// checkProject returns an error if none of the last sessions is of a project.
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

// namesOfBy are the arguments of other programs that are values of --by here.
var namesOfBy = map[string]string{
	"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "sessions": bySession,
	"hour": "hour", "day": "day", "week": "week", "month": "month", "total": "total", "session": bySession,
	"project": "project", "model": "model", "agent": "agent", "tool": "tool",
}

var errNoPath = errors.New("no file has this name")

// checkPaths returns an error if a path is none and rather a value of --by.
func checkPaths(paths []string) error {
	for _, path := range paths {
		by := namesOfBy[path]
		if _, err := os.Lstat(path); by != "" && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%q: %w, did you mean --by %s?", path, errNoPath, by)
		}
	}
	return nil
}
