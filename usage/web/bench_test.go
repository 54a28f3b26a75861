package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A page of a heavy year takes less than 100 ms. See docs/page.md.
func BenchmarkPage(b *testing.B) {
	p := newTestPage(heavy())
	for _, query := range []string{"", "?range=today", "?range=90d", "?range=1y", "?range=all"} {
		b.Run(query, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				if p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+query, http.NoBody)); w.Code != http.StatusOK {
					b.Fatalf("status %d", w.Code)
				}
			}
		})
	}
}
