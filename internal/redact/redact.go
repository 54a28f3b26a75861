// Package redact removes secrets from errors.
//
// YAML decoders, URL parsers, HTTP clients and token servers quote in their errors
// what they were given: values of the configuration, URLs with passwords, headers
// and bodies of responses. [Error] is the one place that decides what of such an
// error may be logged or shown.
//
// It is an allowlist. Of an error it keeps the host of a URL, the address of a
// connection, the number of a line and of an HTTP status, the fields of the error
// types that it knows, and texts that are constants in the libraries. It drops
// everything else: an error of an unknown type with an unknown text is replaced by
// a text that says so.
package redact

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/oauth2"
)

// A SafeError is an error whose text may be shown. It must be a constant, or be made
// of nothing but constants, keys of the configuration and hosts.
type SafeError string

// Error implements error.
func (e SafeError) Error() string { return string(e) }

// withheld replaces the text of an unknown error.
const withheld = "the cause is not shown since it may quote a secret"

// Error returns an error that says what failed, and nothing that err quotes from the
// configuration or from a response. It wraps nothing, so that err cannot be printed by
// way of it. It returns nil if err is nil.
func Error(err error) error {
	if err == nil {
		return nil
	}
	return SafeError(describe(err))
}

// Name quotes what the configuration has where a key or the name of a label is
// expected. It does so only if that looks like one; otherwise it may be a value.
func Name(name string) string {
	if !looksLikeName.MatchString(name) {
		return "(not shown)"
	}
	return strconv.Quote(name)
}

var looksLikeName = regexp.MustCompile(`^[A-Za-z_-]{1,40}$`)

// describe returns what may be shown of an error and of those that it wraps.
func describe(err error) string {
	switch e := err.(type) { //nolint:errorlint // each error of the chain is looked at in turn
	case SafeError:
		return string(e)
	case interface{ Unwrap() []error }:
		var texts []string
		for _, one := range e.Unwrap() {
			texts = append(texts, describe(one))
		}
		return join(texts...)
	case *oauth2.RetrieveError:
		return "the token server answers with " + Status(e.Response.StatusCode)
	case *url.Error:
		return describeURL(e)
	case *fs.PathError:
		return join(e.Op+" file", describe(e.Err))
	case *os.SyscallError:
		return join(e.Syscall, describe(e.Err))
	case syscall.Errno:
		return e.Error()
	}
	if text := describeConnection(err); text != "" {
		return text
	}
	return describeText(err)
}

// Status returns the number of an HTTP status with its usual text. The server may send
// another one.
func Status(code int) string {
	return strings.TrimSpace("HTTP status " + strconv.Itoa(code) + " " + http.StatusText(code))
}

// describeURL keeps the host of a request. Of a URL that cannot be parsed it keeps
// nothing, and nothing of the reason either, which quotes a part of it.
func describeURL(e *url.Error) string {
	to, err := url.Parse(e.URL)
	if e.Op == "parse" || err != nil {
		return "invalid URL"
	}
	return join(e.Op+" "+to.Scheme+"://"+to.Host, describe(e.Err))
}

// describeConnection returns what may be shown of an error of a connection, and ""
// for any other. Certificates are those of the server, so nothing of them is kept.
func describeConnection(err error) string {
	switch e := err.(type) { //nolint:errorlint // see describe
	case *net.OpError:
		return describeOp(e)
	case *net.DNSError:
		return join("lookup "+e.Name, describeLookup(e))
	case tls.RecordHeaderError:
		return "tls: the server does not answer by TLS"
	case *tls.CertificateVerificationError:
		return join("tls: failed to verify the certificate of the server", describe(e.Err))
	case x509.UnknownAuthorityError:
		return "it is signed by an unknown authority"
	case x509.HostnameError:
		return "it is not valid for the name of the host"
	case x509.CertificateInvalidError:
		if e.Reason == x509.Expired {
			return "it has expired or is not valid yet"
		}
		return "it is not valid"
	}
	return ""
}

func describeOp(e *net.OpError) string {
	text := strings.TrimSpace(e.Op + " " + e.Net)
	if e.Addr != nil {
		text += " " + e.Addr.String()
	}
	if strings.HasSuffix(e.Op, " error") {
		return join(text, e.Err.Error()) // an alert of TLS, whose texts are constants
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

// describeText keeps what an error itself says in front of the one that it wraps, if
// that is a constant.
func describeText(err error) string {
	own, inner := err.Error(), errors.Unwrap(err)
	if inner != nil {
		return join(known(strings.TrimSuffix(own, inner.Error())), describe(inner))
	}
	if rest, ok := strings.CutPrefix(own, "yaml: "); ok {
		return describeYAML(rest)
	}
	if text := known(own); text != "" {
		return text
	}
	if e, ok := err.(net.Error); ok && e.Timeout() { //nolint:errorlint // it wraps nothing
		return "timeout"
	}
	return withheld
}

// join joins the texts that are not empty.
func join(texts ...string) string {
	var some []string
	for _, text := range texts {
		if text != "" {
			some = append(some, text)
		}
	}
	return strings.Join(some, ": ")
}
