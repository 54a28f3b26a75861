package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// An authority issues certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool // of itself
}

func newAuthority(t testing.TB, name string) *authority {
	t.Helper()
	a := &authority{pool: x509.NewCertPool()}
	a.cert, a.key = a.sign(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	a.pool.AddCert(a.cert)
	return a
}

// sign returns a certificate and its key. The first one of an authority is self-signed.
func (a *authority) sign(t testing.TB, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber = big.NewInt(time.Now().UnixNano())
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	by, signer := a.cert, a.key
	if by == nil {
		by, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, by, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return c, key
}

// issue returns a certificate for 127.0.0.1, valid for servers and clients.
func (a *authority) issue(t testing.TB, name string) (cert, key []byte) {
	t.Helper()
	c, k := a.sign(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	der, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
}

// client returns a client that trusts the authority, with a certificate from an issuer
// unless that is nil.
func (a *authority) client(t testing.TB, issuer *authority) *http.Client {
	t.Helper()
	config := &tls.Config{RootCAs: a.pool}
	if issuer != nil {
		pair, err := tls.X509KeyPair(issuer.issue(t, "prometheus"))
		if err != nil {
			t.Fatal(err)
		}
		// Sent even if the server requests one from another authority.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// startWeb starts a daemon with a configuration of the web server, next to web.crt, web.key
// and ca.crt from the authority.
func (p sandbox) startWeb(t testing.TB, ca *authority, config string) *process {
	t.Helper()
	cert, key := ca.issue(t, "localhost")
	for name, content := range map[string]string{
		"web.yml": config,
		"web.crt": string(cert), "web.key": string(key),
		"ca.crt": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.cert.Raw})),
	} {
		writeFile(t, filepath.Join(p.home, name), content)
	}
	return p.start(t, "--web.enable-lifecycle", "--web.config.file="+filepath.Join(p.home, "web.yml"))
}

const (
	withTLS = "tls_server_config: {cert_file: web.crt, key_file: web.key}\n"
	mutual  = "tls_server_config: {cert_file: web.crt, key_file: web.key, client_ca_file: ca.crt, client_auth_type: RequireAndVerifyClientCert}\n"
	users   = "basic_auth_users: {ann: $2a$04$iLO.g0oPYC5u6LOqMhVzyekGvIfgI4snEnPTfOWUBkD6syJ0Kv5Kq}\n" // whose password is "right"
)

func TestPasswords(t *testing.T) {
	ca := newAuthority(t, "ours")
	for name, test := range map[string]struct {
		config string
		scheme string
		client *http.Client
	}{
		"plain": {users, "http://", http.DefaultClient},
		"TLS":   {withTLS + users, "https://", ca.client(t, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSandbox(t).startWeb(t, ca, test.config)
			for _, one := range []struct {
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
						if one.user != "" {
							r.SetBasicAuth(one.user, one.password)
						}
					})
					prompts := a.header.Get("WWW-Authenticate") != ""
					if err != nil || a.status != one.status || prompts != (one.status == http.StatusUnauthorized) {
						t.Errorf("%s by %q with %q: status %d, want %d, WWW-Authenticate: %v, %v", path, one.user, one.password, a.status, one.status, prompts, err)
					}
				}
			}
			if log := d.log.String(); strings.Contains(log, "right") || strings.Contains(log, "wrong") {
				t.Errorf("the log has passwords:\n%s", log)
			}
		})
	}
}

// TLS is required once it is configured, and so are client certificates.
func TestTLS(t *testing.T) {
	ca, other := newAuthority(t, "ours"), newAuthority(t, "another")
	old := ca.client(t, nil)
	if transport, ok := old.Transport.(*http.Transport); ok {
		transport.TLSClientConfig.MaxVersion = tls.VersionTLS11
	}
	daemons := map[string]*process{withTLS: newSandbox(t).startWeb(t, ca, withTLS), mutual: newSandbox(t).startWeb(t, ca, mutual)}
	for _, test := range []struct {
		name, config, scheme string
		client               *http.Client
		status               int // 0 for an error
	}{
		{"TLS", withTLS, "https://", ca.client(t, nil), http.StatusOK},
		{"no TLS", withTLS, "http://", http.DefaultClient, http.StatusBadRequest},
		{"a server certificate of another authority", withTLS, "https://", other.client(t, nil), 0},
		{"TLS 1.1", withTLS, "https://", old, 0},
		{"no client certificate", mutual, "https://", ca.client(t, nil), 0},
		{"a client certificate of another authority", mutual, "https://", ca.client(t, other), 0},
		{"a client certificate", mutual, "https://", ca.client(t, ca), http.StatusOK},
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
	p := newSandbox(t)
	config := filepath.Join(p.home, "web.yml")
	writeFile(t, config, users)
	d := p.start(t, "--web.listen-address=127.0.0.1:0", "--web.listen-address=localhost:0", "--web.config.file="+config)
	listening := regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	var all [][]string
	eventually(t, "it listens on three addresses", func() bool {
		all = listening.FindAllStringSubmatch(d.log.String(), -1)
		return len(all) == 3
	})
	for _, one := range all {
		for password, want := range map[string]int{"": http.StatusUnauthorized, "right": http.StatusOK} {
			a, err := d.send(http.DefaultClient, http.MethodGet, "http://"+one[1]+"/-/healthy", func(r *http.Request) { r.SetBasicAuth("ann", password) })
			if err != nil || a.status != want {
				t.Errorf("%s with %q: status %d, want %d, %v", one[1], password, a.status, want, err)
			}
		}
	}
	d.stop()
}

// Headers of the configuration take precedence.
func TestConfiguredHeaders(t *testing.T) {
	d := newSandbox(t).startWeb(t, newAuthority(t, "ours"), "http_server_config: {headers: {Strict-Transport-Security: max-age=1, X-Frame-Options: sameorigin}}\n")
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
