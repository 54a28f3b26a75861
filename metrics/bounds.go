package metrics

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"github.com/prometheus/common/expfmt"
)

// withSameBounds returns a handler that writes the label le in the text format as in
// the other formats: le="10.0", not le="10". Otherwise a server that scrapes text, such
// as VictoriaMetrics, and also receives remote write has two spellings of each bucket,
// and adds them up. next must write each response in a single call.
func withSameBounds(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		format := expfmt.NegotiateAccept(r.Header, expfmt.DefaultOpenMetricsAcceptedFormats()...)
		if format.FormatType() != expfmt.TypeTextPlain {
			next.ServeHTTP(w, r)
			return
		}
		compress := acceptsGzip(r.Header)
		r = r.Clone(r.Context())
		r.Header.Del("Accept-Encoding") // compressed here, once the bounds are written
		next.ServeHTTP(&textWriter{ResponseWriter: w, compress: compress}, r)
	})
}

func acceptsGzip(h http.Header) bool {
	for encoding := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(encoding, " ", ""), ";")
		if name == "gzip" && strings.Trim(weight, "q=0.") != "" || name == "gzip" && weight == "" {
			return true
		}
	}
	return false
}

// A textWriter writes a response whose body arrives in one call of Write.
type textWriter struct {
	http.ResponseWriter
	compress bool
}

// WriteHeader writes the header. Errors are not compressed.
func (w *textWriter) WriteHeader(status int) {
	w.compress = w.compress && status == http.StatusOK
	if w.compress {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes the body.
func (w *textWriter) Write(body []byte) (int, error) {
	if !w.compress {
		return len(body), writeSameBounds(w.ResponseWriter, body)
	}
	zipped := gzip.NewWriter(w.ResponseWriter)
	if err := writeSameBounds(zipped, body); err != nil {
		return 0, err
	}
	return len(body), zipped.Close()
}

// writeSameBounds writes an exposition in the text format, with ".0" at each bound of
// a bucket that is a whole number. Quotes in the values of labels are escaped, so that
// they contain no label.
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
