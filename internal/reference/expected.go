package reference

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxLine is how long a line of totals may be: names of tools are invented by
// models and may be of any length.
const maxLine = 64 << 20

// unescape undoes how the reference writes what would break its lines.
var unescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")

// Expected reads the totals that the reference printed. Lines that do not fit,
// metrics that the table does not know, and no line at all are errors: whatever
// printed that was not the reference.
func Expected(r io.Reader) (Totals, error) {
	totals := make(Totals)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if err := expectedLine(totals, lines.Text()); err != nil {
			return nil, fmt.Errorf("parse line %d of the reference: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the reference: %w", err)
	}
	if n == 0 {
		return nil, errors.New("read the reference: it holds no totals")
	}
	return totals, nil
}

func expectedLine(totals Totals, line string) error {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 {
		return fmt.Errorf("%d columns instead of metric, labels and value", len(fields))
	}
	metric := fields[0]
	value, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return fmt.Errorf("parse the value of %s: %w", metric, err)
	}
	if slices.Contains(withoutCounterpart, metric) {
		return nil
	}
	known := false
	for _, c := range correspondences {
		if c.metric != metric {
			continue
		}
		known = true
		labels, err := c.split(unescape.Replace(fields[1]))
		if err != nil {
			return err
		}
		if key, ok := c.key(inReference, func(name string) string { return labels[name] }); ok {
			totals[key] += value
		}
	}
	if !known {
		return fmt.Errorf("unknown metric %q", metric)
	}
	return nil
}

// split takes the labels of the reference apart. Values are not quoted and may
// hold commas and equals signs, so they are found by the names that the metric
// is known to have, from the last one on: only the last of several values must
// not hold its own name.
func (c *correspondence) split(s string) (map[string]string, error) {
	var names []string
	for _, p := range c.labels {
		if p.reference != "" {
			names = append(names, p.reference)
		}
	}
	labels := make(map[string]string)
	rest := "," + s
	for i := range slices.Backward(names) {
		find := strings.LastIndex
		if i == 0 {
			find = strings.Index
		}
		name := "," + names[i] + "="
		at := find(rest, name)
		if at < 0 || i == 0 && at > 0 {
			return nil, fmt.Errorf("%s does not have the labels %q in %q", c.metric, names, s)
		}
		labels[names[i]] = rest[at+len(name):]
		rest = rest[:at]
	}
	if strings.Trim(rest, ",") != "" {
		return nil, fmt.Errorf("%s has no labels, but there is %q", c.metric, s)
	}
	return labels, nil
}
