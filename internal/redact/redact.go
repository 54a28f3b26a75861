// Package redact removes secrets from errors.
//
// Errors of URL parsers, HTTP clients and token servers quote their input: URLs with
// passwords, headers and response bodies.
// [Error] is the only function that decides which part of such an error may be shown.
//
// It uses an allowlist of error types and of their fields: the host of a URL, the
// address of a connection, an HTTP status. It replaces an error of any other type by a
// constant.
package redact

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/oauth2"
)

// A SafeError is an error whose text may be shown. It must consist of constants, keys
// of the configuration and hosts only.
type SafeError string

// Error implements error.
func (e SafeError) Error() string { return string(e) }

// withheld replaces the text of an unknown error.
const withheld = "the cause is not shown since it may quote a secret"

// Error returns an error that describes err without anything that err quotes from the
// configuration or a response. It does not wrap err, which therefore cannot be printed
// through it. It returns nil if err is nil.
func Error(err error) error {
	if err == nil {
		return nil
	}
	return SafeError(describe(err))
}

// Name quotes a configuration key or label name if it looks like one. Otherwise it may
// be a misplaced value, and is not shown.
func Name(name string) string {
	if !looksLikeName.MatchString(name) {
		return "(not shown)"
	}
	return strconv.Quote(name)
}

var looksLikeName = regexp.MustCompile(`^[A-Za-z_-]{1,40}$`)

// describe returns the safe text of an error and of its chain.
func describe(err error) string {
	switch e := err.(type) { //nolint:errorlint // describe follows the chain itself
	case SafeError:
		return string(e)
	case interface{ Unwrap() []error }:
		var texts []string
		for _, wrapped := range e.Unwrap() {
			texts = append(texts, describe(wrapped))
		}
		return join(texts...)
	case *oauth2.RetrieveError:
		return "token server returned " + Status(e.Response.StatusCode)
	case *url.Error:
		return describeURL(e)
	case *fs.PathError:
		return join(e.Op+" file", describe(e.Err))
	case *os.SyscallError:
		return join(e.Syscall, describe(e.Err))
	case syscall.Errno:
		return e.Error()
	}
	if slices.Contains(constants, err) {
		return err.Error()
	}
	if text := describeConnection(err); text != "" {
		return text
	}
	if inner := errors.Unwrap(err); inner != nil {
		return describe(inner)
	}
	return describeUnknown(err)
}

// constants are errors with a constant text.
var constants = []error{
	io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded, context.Canceled, net.ErrClosed, http.ErrSchemeMismatch,
}

// Status returns an HTTP status code with its standard text: the server's own text may
// contain anything.
func Status(code int) string {
	return strings.TrimSpace("HTTP status " + strconv.Itoa(code) + " " + http.StatusText(code))
}

// describeURL keeps the host of a request. It keeps nothing of an invalid URL, and of
// its error, which quotes a part of it.
func describeURL(e *url.Error) string {
	u, err := url.Parse(e.URL)
	if e.Op == "parse" || err != nil {
		return "invalid URL"
	}
	return join(e.Op+" "+u.Scheme+"://"+u.Host, describe(e.Err))
}

// describeConnection returns the safe text of a connection error, and "" for any other.
// It keeps nothing of certificates, which the server controls.
func describeConnection(err error) string {
	switch e := err.(type) { //nolint:errorlint // see describe
	case *net.OpError:
		return describeOp(e)
	case *net.DNSError:
		return join("lookup "+e.Name, describeLookup(e))
	case tls.RecordHeaderError:
		return "tls: the server does not use TLS"
	case *tls.CertificateVerificationError:
		return join("tls: failed to verify the certificate of the server", describe(e.Err))
	case x509.UnknownAuthorityError:
		return "signed by an unknown authority"
	case x509.HostnameError:
		return "not valid for the host name"
	case x509.CertificateInvalidError:
		if e.Reason == x509.Expired {
			return "expired or not valid yet"
		}
		return "not valid"
	}
	return ""
}

func describeOp(e *net.OpError) string {
	text := strings.TrimSpace(e.Op + " " + e.Net)
	if e.Addr != nil {
		text += " " + e.Addr.String()
	}
	if strings.HasSuffix(e.Op, " error") {
		return join(text, e.Err.Error()) // a TLS alert, which has a constant text
	}
	return join(text, describe(e.Err))
}

func describeLookup(e *net.DNSError) string {
	switch {
	case e.IsNotFound:
		return "no such host"
	case e.IsTimeout:
		return "timeout"
	}
	return "failed"
}

// describeUnknown returns a safe text for an error of an unknown type: the status with
// which a proxy refused a connection, or a timeout.
func describeUnknown(err error) string {
	for code := http.StatusBadRequest; code < 600; code++ {
		if err.Error() == http.StatusText(code) {
			return err.Error()
		}
	}
	if e, ok := err.(net.Error); ok && e.Timeout() { //nolint:errorlint // it wraps nothing
		return "timeout"
	}
	return withheld
}

// join joins the texts that are not empty.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), ": ")
}
