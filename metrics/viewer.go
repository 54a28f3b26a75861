package metrics

import (
	"net"
	"net/http"
	"slices"
	"time"
)

// A viewer is somebody who scrapes, and what of each family was shown to it. A
// series that is new to it begins at zero for it, whatever others have seen: only
// then does a server that computes an increase see all of it.
//
// Viewers are not saved. After a restart a series goes on with its value for all
// of them once it has been shown to anybody; to begin again at zero for one that
// has seen it would be a reset.
type viewer struct {
	name string
	seen []int // of each family, how many series were shown
	last time.Time
}

const (
	// maxViewers is how many are remembered, those that came last.
	maxViewers = 64
	// viewerStays is for how long. Who comes back later may have been here by
	// another name meanwhile, and seen what would begin at zero again.
	viewerStays = 10 * time.Minute
)

// viewers are those who came last, the latest first.
type viewers []viewer

// look notes that somebody sees all series there are, and tells the families up
// to which one they are known to it. Who was not here before knows all.
func (v *viewers) look(name string, now time.Time, families []*family) {
	one := viewer{name: name}
	if i := slices.IndexFunc(*v, func(o viewer) bool { return o.name == name }); i >= 0 {
		if now.Sub((*v)[i].last) < viewerStays {
			one = (*v)[i]
		}
		*v = slices.Delete(*v, i, i+1)
	}
	one.last = now
	for i, f := range families {
		n := len(f.Samples)
		if i == len(one.seen) {
			one.seen = append(one.seen, n)
		}
		f.seen, one.seen[i] = one.seen[i], n
	}
	*v = slices.Insert((*v)[:min(len(*v), maxViewers-1)], 0, one)
}

// viewerOf names who has made a request. The address alone does not tell two
// programs on one machine apart, nor a program that has two questions: whoever
// wants to be another viewer has something behind the question mark.
func viewerOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr // that of a socket is nothing
	}
	const most = 256 // bytes are kept of what anybody may send
	name := host + "\n" + r.UserAgent() + "\n" + r.URL.RawQuery
	return name[:min(len(name), most)]
}
