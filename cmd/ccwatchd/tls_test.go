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

// sign makes a certificate and its key; the first one of an authority is its own.
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

// issue returns a certificate for 127.0.0.1, for a server or a client.
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

// client trusts the authority, and shows a certificate of another, or none.
func (a *authority) client(t testing.TB, shows *authority, name string) *http.Client {
	t.Helper()
	config := &tls.Config{RootCAs: a.pool}
	if shows != nil {
		pair, err := tls.X509KeyPair(shows.issue(t, name))
		if err != nil {
			t.Fatal(err)
		}
		// Shown whether or not it is one of those that the server asks for.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// startWeb starts a daemon with a configuration of the web server. Beside it are
// web.crt, web.key and ca.crt, which the authority has issued.
func (p place) startWeb(t testing.TB, ca *authority, config string) *process {
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
		"TLS":   {withTLS + users, "https://", ca.client(t, nil, "")},
	} {
		t.Run(name, func(t *testing.T) {
			d := newPlace(t).startWeb(t, ca, test.config)
			for _, one := range []struct {
				user, password string
				status         int
			}{
				{"", "", http.StatusUnauthorized},
				{"ann", "wrong", http.StatusUnauthorized},
				{"bob", "right", http.StatusUnauthorized},
				{"ann", "", http.StatusUnauthorized},
				{"ann", "right", http.StatusOK},
				{"ann", "wrong", http.StatusUnauthorized}, // again, since answers are remembered
			} {
				for _, path := range []string{"/-/healthy", "/", "/-/reload"} {
					method := http.MethodGet
					if path == "/-/reload" {
						method = http.MethodPost
					}
					a, err := d.send(test.client, method, test.scheme+d.address+path, func(r *http.Request) {
						if one.user != "" {
							r.SetBasicAuth(one.user, one.password)
						}
					})
					if err != nil || a.status != one.status {
						t.Errorf("%s by %q with %q: status %d, want %d, %v", path, one.user, one.password, a.status, one.status, err)
					}
					if asks := a.header.Get("WWW-Authenticate") != ""; asks != (one.status == http.StatusUnauthorized) {
						t.Errorf("%s by %q with %q: asks for a password: %v", path, one.user, one.password, asks)
					}
				}
			}
			if log := d.log.String(); strings.Contains(log, "right") || strings.Contains(log, "wrong") {
				t.Errorf("the log tells passwords:\n%s", log)
			}
		})
	}
}

// TLS is served to who trusts it, and nobody is answered without.
func TestTLS(t *testing.T) {
	ca, other := newAuthority(t, "ours"), newAuthority(t, "another")
	d := newPlace(t).startWeb(t, ca, withTLS)
	status := func(by *http.Client, scheme string) (int, error) {
		a, err := d.send(by, http.MethodGet, scheme+d.address+"/-/healthy", func(*http.Request) {})
		return a.status, err
	}
	if got, err := status(ca.client(t, nil, ""), "https://"); err != nil || got != http.StatusOK {
		t.Errorf("with TLS: status %d, %v", got, err)
	}
	if got, err := status(http.DefaultClient, "http://"); err != nil || got != http.StatusBadRequest {
		t.Errorf("without TLS: status %d, want 400, %v", got, err)
	}
	if _, err := status(other.client(t, nil, ""), "https://"); err == nil {
		t.Error("a certificate of nobody's is believed")
	}
	old := ca.client(t, nil, "")
	if transport, ok := old.Transport.(*http.Transport); ok {
		transport.TLSClientConfig.MaxVersion = tls.VersionTLS11
	}
	if _, err := status(old, "https://"); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
}

// Where certificates of clients are demanded, those of the right authority count.
func TestMutualTLS(t *testing.T) {
	ca, other := newAuthority(t, "ours"), newAuthority(t, "another")
	d := newPlace(t).startWeb(t, ca, mutual)
	for _, test := range []struct {
		name  string
		by    *http.Client
		fails bool
	}{
		{"none", ca.client(t, nil, ""), true},
		{"another's", ca.client(t, other, "prometheus"), true},
		{"ours", ca.client(t, ca, "prometheus"), false},
	} {
		a, err := d.send(test.by, http.MethodGet, "https://"+d.address+"/-/healthy", func(*http.Request) {})
		if failed := err != nil; failed != test.fails || !failed && a.status != http.StatusOK {
			t.Errorf("%s: status %d, %v", test.name, a.status, err)
		}
	}
}

// All addresses are protected, from the first request on. The race detector sees
// whether they are so one after the other.
func TestSeveralAddresses(t *testing.T) {
	p := newPlace(t)
	config := filepath.Join(p.home, "web.yml")
	writeFile(t, config, users)
	d := p.start(t, "--web.listen-address=127.0.0.1:0", "--web.listen-address=localhost:0", "--web.config.file="+config)
	listening := regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	var all [][]string
	eventually(t, "three addresses are listened on", func() bool {
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

// Headers that the configuration asks for are sent as it says.
func TestConfiguredHeaders(t *testing.T) {
	d := newPlace(t).startWeb(t, newAuthority(t, "ours"), "http_server_config: {headers: {Strict-Transport-Security: max-age=1, X-Frame-Options: sameorigin}}\n")
	a, err := d.ask(http.MethodGet, "/", "")
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
