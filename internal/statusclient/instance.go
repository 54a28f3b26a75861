package statusclient

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/status"
)

// NewFor returns a client for the daemon with an instance at a URL. If it is not there
// any more, the client requests any daemon at the URL fallback from then on.
func NewFor(url, instance, fallback string) *Client {
	c := New(url)
	c.instance, c.fallback = instance, fallback
	return c
}

// HasInstance reports whether the daemon of the last successful request has the
// instance of NewFor.
func (c *Client) HasInstance() bool { return c.instance != "" }

// codesBefore are the codes of responses by the web server of a daemon before the
// daemon gets the request. They have no instance.
var codesBefore = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusInternalServerError}

// isElsewhere reports whether the result of a request shows that the daemon with the
// instance of the client is not at its URL, and closes the response then.
func (c *Client) isElsewhere(response *http.Response, err error) bool {
	if err != nil {
		return IsUnreachable(err)
	}
	switch instance := response.Header.Get(status.InstanceHeader); {
	case instance == c.instance:
		return false
	case instance == "" && slices.Contains(codesBefore, response.StatusCode):
		return false
	}
	_ = response.Body.Close()
	return true
}

// occupantTimeout is the limit for the answer of a daemon that may be at an address.
const occupantTimeout = time.Second

// Occupant returns the URL and the status of the daemon that listens on an address, or
// false if there is none.
func Occupant(ctx context.Context, address string) (url string, s status.Status, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, occupantTimeout)
	defer cancel()
	client := New(URL(address))
	s, err := client.Status(ctx)
	return client.URL(), s, err == nil
}
