package metrics

import (
	"bytes"
	"io"
)

// writeSameBounds writes an exposition in the text format, with ".0" at each bound of
// a bucket that is a whole number, as in the other formats: le="10.0", not le="10".
// Otherwise a server that scrapes text, such as VictoriaMetrics, and also receives
// remote write has two spellings of each bucket, and adds them up. Quotes in the values
// of labels are escaped, so that they contain no label.
func writeSameBounds(to io.Writer, text []byte) error {
	var written bytes.Buffer
	written.Grow(len(text) + len(text)/50)
	const label = `le="`
	for {
		before, rest, found := bytes.Cut(text, []byte(label))
		written.Write(before)
		if !found {
			break
		}
		bound := rest[:len(rest)-len(bytes.TrimLeft(rest, "0123456789"))]
		written.WriteString(label)
		written.Write(bound)
		text = rest[len(bound):]
		isLabel := bytes.HasSuffix(before, []byte("{")) || bytes.HasSuffix(before, []byte(","))
		if isLabel && len(bound) > 0 && bytes.HasPrefix(text, []byte(`"`)) {
			written.WriteString(".0")
		}
	}
	_, err := written.WriteTo(to)
	return err
}
