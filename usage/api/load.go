package api

import (
	"bytes"
	"compress/flate"
	"context"
	"io"
	"net/http"
	"time"
)

// atOnce is the number of responses that are computed at a time, and of histories that
// are sent: each can take tens of megabytes, and half a second of a core. Further
// requests wait.
const atOnce = 4

// slots limit what happens at a time.
type slots chan struct{}

// begin waits for a slot. It returns false if the client has disconnected.
func (s slots) begin(ctx context.Context) bool {
	select {
	case s <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s slots) end() { <-s }

// readingWait is how long a request waits while another one reads transcripts.
const readingWait = 10 * time.Second

// beginReading waits until no other request reads transcripts. If it returns false, the
// request needs no further answer.
func (s *server) beginReading(w http.ResponseWriter, r *http.Request) bool {
	waiting, cancel := context.WithTimeout(r.Context(), readingWait)
	defer cancel()
	ok := s.reading.begin(waiting)
	if !ok && r.Context().Err() == nil {
		tryLater(w, "other sessions are being read, try again later")
	}
	return ok
}

// A response waits for its client to read it, which may take long. It compresses itself
// beyond plainSize bytes: long responses repeat their names in each row.
type response struct {
	content bytes.Buffer
	packer  *flate.Writer // nil while the content is plain
}

const plainSize = 64 << 10

// Write implements io.Writer. It never fails.
func (r *response) Write(b []byte) (int, error) {
	if r.packer == nil && r.content.Len()+len(b) <= plainSize {
		return r.content.Write(b)
	}
	if r.packer == nil {
		plain := bytes.Clone(r.content.Bytes())
		r.content.Reset()
		r.packer, _ = flate.NewWriter(&r.content, flate.BestSpeed) // a valid level
		_, _ = r.packer.Write(plain)
	}
	return r.packer.Write(b)
}

// close ends the response, before sendTo.
func (r *response) close() {
	if r.packer != nil {
		_ = r.packer.Close() // a buffer accepts everything
	}
}

// sendTo sends the response. An error means that the client has disconnected.
func (r *response) sendTo(w io.Writer) {
	content := io.Reader(&r.content)
	if r.packer != nil {
		r.packer = nil // free its memory
		content = flate.NewReader(content)
	}
	_, _ = io.Copy(w, content) //nolint:gosec // our own content
}
