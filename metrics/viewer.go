package metrics

import (
	"net"
	"net/http"
	"slices"
	"time"
)

// A viewer is somebody who scrapes. A series that is new to it begins at zero for
// it, whatever others have seen: only then does a server that computes an increase
// see all of it.
//
// Viewers are not saved. After a restart a series that anybody has been shown
// before goes on with its value for all: to begin once more at zero, for one that
// has seen it, would be a reset.
type viewer struct {
	name string
	seen uint64 // its last scrape
	last time.Time
}

const (
	// maxViewers is how many are remembered, those that came last.
	maxViewers = 64
	// viewerStays is for how long. Who comes back later may have been here by
	// another name meanwhile, and seen what would begin at zero again.
	viewerStays = 10 * time.Minute
	// viewerReturns is how soon after a start everybody is back who was there before.
	viewerReturns = 2 * time.Minute
)

// viewers are all who scrape.
type viewers struct {
	scrape uint64 // the number of the last one, from 1
	first  time.Time
	latest []viewer // the last one first
}

// next begins a scrape, and returns its number and that of the viewer's last one. Who
// comes for the first time soon after the start was here before it, for all that is
// known, and has seen what there was then; later it is somebody new, who has seen
// nothing begin.
func (v *viewers) next(name string, now time.Time) (scrape, seen uint64) {
	if v.scrape++; v.scrape == 1 {
		v.first = now
	}
	if now.Sub(v.first) >= viewerReturns {
		seen = v.scrape - 1
	}
	if i := slices.IndexFunc(v.latest, func(o viewer) bool { return o.name == name }); i >= 0 {
		if now.Sub(v.latest[i].last) < viewerStays {
			seen = v.latest[i].seen
		}
		v.latest = slices.Delete(v.latest, i, i+1)
	}
	v.latest = slices.Insert(v.latest[:min(len(v.latest), maxViewers-1)], 0, viewer{name, v.scrape, now})
	return v.scrape, seen
}

// viewerOf names who has made a request. An address does not tell two programs on
// one machine apart, nor a user agent two servers behind one address: whoever wants
// to be somebody else has something behind the question mark.
func viewerOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr // that of a socket is nothing
	}
	const most = 256 // bytes are kept of what anybody may send
	name := host + "\n" + r.UserAgent() + "\n" + r.URL.RawQuery
	return name[:min(len(name), most)]
}
