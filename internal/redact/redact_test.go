package redact

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"
	"golang.org/x/oauth2"
)

// parse returns the error of the URL parser.
func parse(text string) error {
	_, err := url.Parse(text)
	return err
}

// decode returns the error of the YAML decoder.
func decode(text string, into any) error { return yaml.Unmarshal([]byte(text), into) }

func TestError(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: "/hush", Err: syscall.EACCES}
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, Err: &os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED}}
	certificate := func(err error) error {
		return &tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{{}}, Err: err}
	}
	unknown := errors.New("hush")
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"unknown", unknown, withheld},
		{"unknown around a known one", fmt.Errorf("hush %w", io.EOF), "EOF"},
		{"looks like a known one", errors.New("EOF"), withheld},
		{"joined", errors.Join(io.EOF, unknown), "EOF: " + withheld},
		{"safe", fmt.Errorf("%w: hush %w", SafeError("get token"), denied), "get token: open file: " + syscall.EACCES.Error()},
		{"redacted twice", Error(fmt.Errorf("hush: %w", denied)), "open file: " + syscall.EACCES.Error()},
		{"file", fmt.Errorf("unable to read file /hush: %w", denied), "open file: " + syscall.EACCES.Error()},
		{"URL", parse("http://ann:hush@h:hush/"), "invalid URL"},
		{"URL escape", parse("http://h/%zzhush"), "invalid URL"},
		{"request", &url.Error{Op: "Post", URL: "https://ann:hush@h:1/hush?hush#hush", Err: refused}, "Post https://h:1: dial tcp 127.0.0.1:1: connect: " + syscall.ECONNREFUSED.Error()},
		{"request to an invalid URL", &url.Error{Op: "Post", URL: "http://ann:hu sh@h", Err: unknown}, "invalid URL"},
		{"host name", &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Name: "h", Err: "hush", Server: "hush", IsNotFound: true}}, "dial tcp: lookup h: no such host"},
		{"DNS timeout", &net.DNSError{Name: "h", Err: "hush", IsTimeout: true}, "lookup h: timeout"},
		{"DNS failure", &net.DNSError{Name: "h", Err: "hush"}, "lookup h: failed"},
		{"deadline", context.DeadlineExceeded, "context deadline exceeded"},
		{"unknown timeout", timeout{}, "timeout"},
		{"unknown authority", certificate(x509.UnknownAuthorityError{}), "tls: failed to verify the certificate of the server: signed by an unknown authority"},
		{"wrong host", certificate(x509.HostnameError{Host: "h", Certificate: &x509.Certificate{DNSNames: []string{"hush"}}}), "tls: failed to verify the certificate of the server: not valid for the host name"},
		{"expired", certificate(x509.CertificateInvalidError{Reason: x509.Expired, Detail: "hush"}), "tls: failed to verify the certificate of the server: expired or not valid yet"},
		{"invalid certificate", certificate(x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign, Detail: "hush"}), "tls: failed to verify the certificate of the server: not valid"},
		{"no TLS, as HTTP", &url.Error{Op: "Post", URL: "https://h/hush", Err: http.ErrSchemeMismatch}, "Post https://h: http: server gave HTTP response to HTTPS client"},
		{"no TLS", tls.RecordHeaderError{Msg: "hush"}, "tls: the server does not use TLS"},
		{"TLS alert", &net.OpError{Op: "remote error", Err: tls.AlertError(40)}, "remote error: tls: handshake failure"},
		{"refused by a proxy", errors.New("Bad Gateway"), "Bad Gateway"},
		{"token server", &oauth2.RetrieveError{Response: &http.Response{StatusCode: http.StatusUnauthorized, Status: "401 hush"}, Body: []byte("hush"), ErrorCode: "hush", ErrorDescription: "hush"}, "token server returned HTTP status 401 Unauthorized"},
		{"unknown status", &oauth2.RetrieveError{Response: &http.Response{StatusCode: 799, Status: "799 hush"}}, "token server returned HTTP status 799"},
		{"YAML", decode("hush", new(int)), withheld},
		{"URL in YAML", decode("'http://ann:hush@h:hush'", new(config.URL)), "invalid URL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.err == nil {
				t.Fatal("no error")
			}
			got := Error(test.err)
			if got.Error() != test.want {
				t.Errorf("got  %s\nwant %s\nof   %v", got, test.want, test.err)
			}
			if errors.Unwrap(got) != nil {
				t.Error("the error wraps another one")
			}
		})
	}
	if err := Error(nil); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

type timeout struct{}

func (timeout) Error() string   { return "hush" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"proxyurl": `"proxyurl"`, "X-Scope-OrgID": `"X-Scope-OrgID"`, "bearer_tokn": `"bearer_tokn"`,
		"": "(not shown)", "hunter2": "(not shown)", "Bearer x": "(not shown)", "http://h": "(not shown)", "a\nb": "(not shown)",
		strings.Repeat("x", 41): "(not shown)",
	} {
		if got := Name(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}
