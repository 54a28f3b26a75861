package metrics

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Who asks is told from others, by whatever connection.
func TestViewerOf(t *testing.T) {
	seen := make(map[string]string)
	for _, v := range []struct{ name, address, agent, url string }{
		{"one", "192.0.2.1:1000", "Prometheus/3.15.0", "/metrics"},
		{"another machine", "192.0.2.2:1000", "Prometheus/3.15.0", "/metrics"},
		{"another program", "192.0.2.1:1000", "curl/8", "/metrics"},
		{"a parameter", "192.0.2.1:1000", "Prometheus/3.15.0", "/metrics?server=b"},
		{"a socket", "@", "", "/metrics"},
	} {
		r := httptest.NewRequest(http.MethodGet, v.url, http.NoBody)
		r.RemoteAddr = v.address
		r.Header.Set("User-Agent", v.agent)
		name := viewerOf(r)
		if other, taken := seen[name]; taken {
			t.Errorf("%s is taken for %s", v.name, other)
		}
		seen[name] = v.name
		if r.RemoteAddr = strings.Replace(v.address, "1000", "2000", 1); viewerOf(r) != name {
			t.Errorf("%s has another name on another connection", v.name)
		}
		if r.Header.Set("User-Agent", strings.Repeat("x", 1<<16)); len(viewerOf(r)) > 256 {
			t.Errorf("%s has a name of %d bytes", v.name, len(viewerOf(r)))
		}
	}
}
