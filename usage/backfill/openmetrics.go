package backfill

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/usage/api"
)

// endOfFile is the last line.
const endOfFile = "# EOF\n"

// Write writes the samples as OpenMetrics with timestamps, as
// "promtool tsdb create-blocks-from openmetrics" reads them: series by series, each in
// the order of time.
//
// Histograms have the type summary, which has a count and a sum only; servers do not
// store the type.
func (p *Plan) Write(ctx context.Context, to io.Writer) error {
	out := bufio.NewWriterSize(to, 256<<10)
	var buffer []byte
	err := p.read(ctx, func(f *api.HistoryFamily) error { return writeFamily(out, f) }, func(s *series) error {
		written := 0
		err := s.curve.upTo(never, p.period, func(t int64, value, sum uint64) error {
			written += len(s.lines)
			buffer = buffer[:0]
			for i := range s.lines {
				buffer = append(buffer, s.lines[i].prefix...)
				buffer = strconv.AppendFloat(buffer, s.lines[i].valueOf(value, sum), 'g', -1, 64)
				buffer = appendTime(append(buffer, ' '), t)
				buffer = append(buffer, '\n')
			}
			_, err := out.Write(buffer)
			return err
		})
		p.options.Progress(written)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := out.WriteString(endOfFile); err != nil {
		return err
	}
	return out.Flush()
}

func writeFamily(w io.Writer, f *api.HistoryFamily) error {
	kind := f.Type
	if kind == histogram {
		kind = "summary"
	}
	name := strings.TrimSuffix(f.Name, "_total")
	_, err := fmt.Fprintf(w, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", name, escape.Replace(f.Help), kind)
	return err
}

// appendTime appends a time in milliseconds as seconds.
func appendTime(to []byte, t int64) []byte {
	to = strconv.AppendInt(to, t/1000, 10)
	if rest := t % 1000; rest != 0 {
		to = append(to, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
	return to
}
