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

// maxLine is the longest accepted line: models invent names of tools, of any length.
const maxLine = 64 << 20

// unescape reverts the escaping of separators by the reference.
var unescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")

// ParseTSV reads the totals that the reference printed. Malformed lines, metrics
// missing from the table, and empty input are errors.
func ParseTSV(r io.Reader) (Totals, error) {
	totals := make(Totals)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if err := addLine(totals, lines.Text()); err != nil {
			return nil, fmt.Errorf("parse line %d of the reference: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the reference: %w", err)
	}
	if n == 0 {
		return nil, errors.New("read the reference: no totals")
	}
	return totals, nil
}

func addLine(totals Totals, line string) error {
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

// split parses the labels of the reference. Values are not quoted and may contain
// commas and equals signs, so split searches for the names that the metric is known to
// have, from the last one on: of several values, only the last must not contain its
// own name.
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
		return nil, fmt.Errorf("%s must not have labels, got %q", c.metric, s)
	}
	return labels, nil
}
