package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// A certificate is self-signed, and valid for servers at 127.0.0.1 and for clients.
type certificate struct {
	tls.Certificate
	cert, key string // PEM
}

func newCertificate(t testing.TB) *certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	c := &certificate{cert: encode("CERTIFICATE", der), key: encode("EC PRIVATE KEY", private)}
	c.Certificate = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return c
}

// client returns a client that trusts the certificate and sends own, unless it is nil.
func (c *certificate) client(t testing.TB, own *certificate) *http.Client {
	t.Helper()
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM([]byte(c.cert))
	if own != nil { // sent even if the server requests a certificate of another authority
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own.Certificate, nil }
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// startWeb starts a daemon with a configuration of the web server, next to web.crt and
// web.key.
func (p sandbox) startWeb(t testing.TB, c *certificate, config string) *process {
	t.Helper()
	transcripttest.Tree{"web.yml": config, "web.crt": c.cert, "web.key": c.key}.Write(t, p.home)
	return p.start(t, "--web.enable-lifecycle", "--web.config.file="+filepath.Join(p.home, "web.yml"))
}

const (
	withTLS = "tls_server_config: {cert_file: web.crt, key_file: web.key}\n"
	mutual  = "tls_server_config: {cert_file: web.crt, key_file: web.key, client_ca_file: web.crt, client_auth_type: RequireAndVerifyClientCert}\n"
	users   = "basic_auth_users: {ann: $2a$04$iLO.g0oPYC5u6LOqMhVzyekGvIfgI4snEnPTfOWUBkD6syJ0Kv5Kq}\n" // whose password is "right"
)

func TestPasswords(t *testing.T) {
	ours := newCertificate(t)
	for name, test := range map[string]struct {
		config string
		scheme string
		client *http.Client
	}{
		"plain": {users, "http://", http.DefaultClient},
		"TLS":   {withTLS + users, "https://", ours.client(t, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSandbox(t).startWeb(t, ours, test.config)
			for _, login := range []struct {
				user, password string
				status         int
			}{
				{"", "", http.StatusUnauthorized},
				{"ann", "wrong", http.StatusUnauthorized},
				{"bob", "right", http.StatusUnauthorized},
				{"ann", "", http.StatusUnauthorized},
				{"ann", "right", http.StatusOK},
				{"ann", "wrong", http.StatusUnauthorized}, // again, since results are cached
			} {
				for path, method := range map[string]string{"/-/healthy": http.MethodGet, "/": http.MethodGet, "/-/reload": http.MethodPost} {
					a, err := d.send(test.client, method, test.scheme+d.address+path, func(r *http.Request) {
						if login.user != "" {
							r.SetBasicAuth(login.user, login.password)
						}
					})
					prompts := a.header.Get("WWW-Authenticate") != ""
					if err != nil || a.status != login.status || prompts != (login.status == http.StatusUnauthorized) {
						t.Errorf("%s by %q with %q: status %d, want %d, WWW-Authenticate: %v, %v", path, login.user, login.password, a.status, login.status, prompts, err)
					}
				}
			}
			if log := d.log.String(); strings.Contains(log, "right") || strings.Contains(log, "wrong") {
				t.Errorf("the log has passwords:\n%s", log)
			}
		})
	}
}

// If TLS or client certificates are configured, they are required.
func TestTLS(t *testing.T) {
	ours, other := newCertificate(t), newCertificate(t)
	old := ours.client(t, nil)
	if transport, ok := old.Transport.(*http.Transport); ok {
		transport.TLSClientConfig.MaxVersion = tls.VersionTLS11
	}
	daemons := map[string]*process{withTLS: newSandbox(t).startWeb(t, ours, withTLS), mutual: newSandbox(t).startWeb(t, ours, mutual)}
	for _, test := range []struct {
		name, config, scheme string
		client               *http.Client
		status               int // 0 for an error
	}{
		{"TLS", withTLS, "https://", ours.client(t, nil), http.StatusOK},
		{"no TLS", withTLS, "http://", http.DefaultClient, http.StatusBadRequest},
		{"a server certificate of another authority", withTLS, "https://", other.client(t, nil), 0},
		{"TLS 1.1", withTLS, "https://", old, 0},
		{"no client certificate", mutual, "https://", ours.client(t, nil), 0},
		{"a client certificate of another authority", mutual, "https://", ours.client(t, other), 0},
		{"a client certificate", mutual, "https://", ours.client(t, ours), http.StatusOK},
	} {
		d := daemons[test.config]
		a, err := d.send(test.client, http.MethodGet, test.scheme+d.address+"/-/healthy")
		if (err != nil) != (test.status == 0) || a.status != test.status {
			t.Errorf("%s: status %d, want %d, %v", test.name, a.status, test.status, err)
		}
	}
}

// All addresses require passwords from the first request on. The race detector checks
// that they are configured one after the other.
func TestSeveralAddresses(t *testing.T) {
	p := newRaceSandbox(t)
	config := filepath.Join(p.home, "web.yml")
	writeFile(t, config, users)
	d := p.start(t, "--web.listen-address=127.0.0.1:0", "--web.listen-address=localhost:0", "--web.config.file="+config)
	listening := regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	var all [][]string
	polltest.Eventually(t, "it listens on three addresses", func() bool {
		all = listening.FindAllStringSubmatch(d.log.String(), -1)
		return len(all) == 3
	})
	for _, match := range all {
		for password, want := range map[string]int{"": http.StatusUnauthorized, "right": http.StatusOK} {
			a, err := d.send(http.DefaultClient, http.MethodGet, "http://"+match[1]+"/-/healthy", func(r *http.Request) { r.SetBasicAuth("ann", password) })
			if err != nil || a.status != want {
				t.Errorf("%s with %q: status %d, want %d, %v", match[1], password, a.status, want, err)
			}
		}
	}
	d.stop()
}

// Headers of the configuration take precedence.
func TestConfiguredHeaders(t *testing.T) {
	d := newSandbox(t).startWeb(t, newCertificate(t), "http_server_config: {headers: {Strict-Transport-Security: max-age=1, X-Frame-Options: sameorigin}}\n")
	a, err := d.request(http.MethodGet, "/")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Strict-Transport-Security": "max-age=1", "X-Frame-Options": "sameorigin", "X-Content-Type-Options": "nosniff",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
