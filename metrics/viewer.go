package metrics

import (
	"net"
	"net/http"
)

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
