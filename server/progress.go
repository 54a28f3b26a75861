package server

import (
	"net/http"
	"time"
)

// progressSize is the number of bytes that a client must receive within the time of
// serverLimits.progress.
const progressSize = 64 << 10

// withProgress returns a handler that stops writing to a client that reads less than
// progressSize in some time, or that has not read everything at the end of the
// exchange.
func (l serverLimits) withProgress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&progressWriter{ResponseWriter: w, limit: l.progress, end: time.Now().Add(l.exchange)}, r)
	})
}

// A progressWriter sets a deadline for each part of a response.
type progressWriter struct {
	http.ResponseWriter
	limit time.Duration
	end   time.Time // of the exchange
}

// Unwrap is for http.ResponseController.
func (w *progressWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write writes the next parts of the body.
func (w *progressWriter) Write(b []byte) (written int, err error) {
	connection := http.NewResponseController(w.ResponseWriter)
	for {
		deadline := time.Now().Add(w.limit)
		if deadline.After(w.end) {
			deadline = w.end
		}
		if err := connection.SetWriteDeadline(deadline); err != nil {
			return written, err
		}
		part := b[written:min(len(b), written+progressSize)]
		n, err := w.ResponseWriter.Write(part)
		written += n
		if err != nil || written == len(b) {
			return written, err
		}
	}
}
