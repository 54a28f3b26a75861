package redact

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// knownTexts are patterns of constant texts of the libraries, one per line: the text of
// an error or its prefix. Text after a prefix is not shown.
const knownTexts = `
(unexpected )?EOF
context (deadline exceeded|canceled)
i/o timeout
use of closed network connection
(http: )?server closed idle connection
http: server gave HTTP response to HTTPS client
net/http: HTTP/1\.x transport connection broken
net/http: timeout awaiting response headers
net/http: TLS handshake timeout
net/http: invalid header field (name|value)
malformed (HTTP response|HTTP status code|HTTP version|MIME header)
tls: failed to find any PEM data in (certificate|key) input
tls: private key (does not match public key|type does not match public key type)
unable to (read|use) (specified )?(CA|client) cert
unable to (read|use) (specified )?client key
unable to read (authorization credentials|basic auth username|basic auth password|headers file|file)
unable to use (bearer token|credentials|password|username)
cannot use secret ref without manager
tls_config\.max_version must be greater than or equal to tls_config\.min_version if both are specified
oauth2: cannot (fetch token|parse response|parse json|overwrite parameter)
oauth2: server response missing access_token
invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key
key is not a valid RSA private key
at most one of bearer_token & bearer_token_file must be configured
at most one of basic_auth, oauth2, bearer_token & bearer_token_file must be configured
at most one of basic_auth username, username_file & username_ref must be configured
at most one of basic_auth password, password_file & password_ref must be configured
at most one of authorization credentials & credentials_file must be configured
at most one of basic_auth, oauth2 & authorization must be configured
at most one of oauth2 client_certificate_key, client_certificate_key_file & client_certificate_key_ref must be configured
at most one of oauth2 client_secret, client_secret_file & client_secret_ref must be configured
at most one of (ca, ca_file & ca_ref|cert, cert_file & cert_ref|key and key_file) must be configured
exactly one of key or key_file must be configured when a client certificate is configured
exactly one of cert or cert_file must be configured when a client key is configured
authorization is not compatible with bearer_token & bearer_token_file
authorization type cannot be set to "basic", use "basic_auth" instead
oauth2 (client_id|token_url) must be configured
valid signature algorithms are RS256, RS384 and RS512
if proxy_connect_header is configured, proxy_url or proxy_from_environment must also be configured
if proxy_from_environment is configured, (proxy_url|no_proxy) must not be configured
if no_proxy is configured, proxy_url must also be configured
(block sequence entries|mapping keys|mapping values) are not allowed in this context
control characters are not allowed
could not find expected (':'|directive name)
did not find URI escaped octet
did not find expected ('!'|',' or '\]'|',' or '}'|'-' indicator|<document start>|digit or '\.' character)
did not find expected (alphabetic or numeric character|comment or line break|hexdecimal number|key)
did not find expected (node content|tag URI|version number|whitespace|whitespace or line break)
did not find the expected '>'
document contains excessive aliasing
exceeded max depth
found a tab character (that violates indentation|where an indentation space is expected)
found an incorrect (leading|trailing) UTF-8 octet
found an indentation indicator equal to 0
found character that cannot start any token
found duplicate %(TAG|YAML) directive
found (extremely long version number|incompatible YAML document|invalid Unicode character escape code)
found (undefined tag handle|unknown directive name|unknown escape character)
found unexpected (document indicator|end of stream|non-alphabetical character)
(expected|unexpected) low surrogate area
incomplete (UTF-16 character|UTF-16 surrogate pair|UTF-8 octet sequence)
invalid (Unicode character|character sequence|leading UTF-8 octet|trailing UTF-8 octet)
invalid length of a UTF-8 sequence
invalid map key
map merge requires map or sequence of maps as the value
unknown problem parsing YAML content
!!binary value contains invalid base64 data
`

// knownText returns what matches a known text at the beginning of a text. Most commands
// show no error, and compiling it would take a tenth of their start.
var knownText = sync.OnceValue(func() *regexp.Regexp {
	patterns := strings.ReplaceAll(strings.TrimSpace(knownTexts), "\n", "|")
	re := regexp.MustCompile(`^(` + patterns + `)(:| |$)`)
	re.Longest()
	return re
})

// known returns the longest known text that is a prefix of the given text, "" if there
// is none.
func known(text string) string {
	if m := knownText().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	for code := http.StatusBadRequest; code < 600; code++ {
		if text == http.StatusText(code) {
			return text // a proxy refused a connection
		}
	}
	return ""
}

// yamlLine separates the line number from the text of an error of the YAML decoder.
var yamlLine = regexp.MustCompile(`^\s*(line \d+: )(.*)$`)

// describeYAML keeps the line numbers and kinds of the errors of the YAML decoder.
func describeYAML(text string) string {
	var all []string
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "unmarshal errors:\n"), "\n") {
		where := ""
		if m := yamlLine.FindStringSubmatch(line); m != nil {
			where, line = m[1], m[2]
		}
		all = append(all, where+yamlKind(line))
	}
	return strings.Join(all, "\n")
}

// yamlKinds describe the errors of the YAML decoder that quote its input, by prefix.
var yamlKinds = []struct{ prefix, kind string }{
	{"cannot unmarshal ", "a value has the wrong type"},
	{"cannot decode ", "a value has the wrong type"},
	{"field ", "unknown key"},
	{"mapping key ", "a key is defined twice"},
	{"anchor '", "an anchor contains itself"},
	{"unknown anchor '", "an alias refers to an unknown anchor: put a text that begins with * in quotes"},
}

func yamlKind(text string) string {
	for _, k := range yamlKinds {
		if strings.HasPrefix(text, k.prefix) {
			return k.kind
		}
	}
	if text := known(text); text != "" {
		return text
	}
	return "invalid YAML"
}
