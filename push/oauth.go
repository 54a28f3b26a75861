package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/common/config"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/ccwatchd/ccwatchd/internal/redact"
)

const (
	errTokenRedirect = redact.SafeError("the token server redirects: configure the final token_url")
	errSecretRef     = redact.SafeError("oauth2: client_secret_ref and client_certificate_key_ref are not supported: there is no secret manager")
	errNoToken       = redact.SafeError("get OAuth2 token")
	errOAuth2        = redact.SafeError("no token in the response, or an invalid key or parameter in oauth2")
)

// grantJWT is the grant type for authorization by a signed JWT.
const grantJWT = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// An authorizer adds an OAuth2 token to requests, like the HTTP client of Prometheus.
// Unlike that, it follows no redirect of the token server, which would send the client
// secret elsewhere, and it stops when the request is canceled. It is for one goroutine.
type authorizer struct {
	next   http.RoundTripper
	client *http.Client // for the token server
	config *config.OAuth2
	secret string // of the token source
	source func(context.Context) (*oauth2.Token, error)
	token  *oauth2.Token
}

func newAuthorizer(o *config.OAuth2, name string, next http.RoundTripper) (*authorizer, error) {
	if o.ClientSecretRef != "" || o.ClientCertificateKeyRef != "" {
		return nil, errSecretRef
	}
	client, err := newHTTPClient(config.HTTPClientConfig{TLSConfig: o.TLSConfig, ProxyConfig: o.ProxyConfig}, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", redact.SafeError("oauth2"), err)
	}
	return &authorizer{next: next, client: client, config: o}, nil
}

// RoundTrip implements http.RoundTripper.
func (a *authorizer) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := a.authorize(r.Context(), r.UserAgent()); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoToken, err)
	}
	r = r.Clone(r.Context())
	a.token.SetAuthHeader(r)
	return a.next.RoundTrip(r)
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (a *authorizer) CloseIdleConnections() {
	a.client.CloseIdleConnections()
	closeIdle(a.next)
}

// authorize requests a token unless there is a valid one for the same secret.
func (a *authorizer) authorize(ctx context.Context, userAgent string) error {
	secret, err := a.readSecret(ctx)
	if err != nil {
		return err
	}
	if a.source == nil || secret != a.secret {
		a.secret, a.source, a.token = secret, tokenSource(a.config, secret), nil
	}
	if a.token.Valid() {
		return nil
	}
	client := *a.client
	client.Transport = config.NewUserAgentRoundTripper(userAgent, client.Transport)
	token, err := a.source(context.WithValue(ctx, oauth2.HTTPClient, &client))
	failed, answered := errors.AsType[*oauth2.RetrieveError](err)
	_, unanswered := errors.AsType[*url.Error](err)
	switch {
	case answered && isRedirect(failed.Response.StatusCode):
		return errTokenRedirect
	case err != nil && !answered && !unanswered:
		return errOAuth2
	case err != nil:
		return err
	}
	a.token = token
	return nil
}

// readSecret returns the client secret or the private key, from its file if configured.
func (a *authorizer) readSecret(ctx context.Context) (string, error) {
	secret, file := a.config.ClientSecret, a.config.ClientSecretFile
	if a.config.GrantType == grantJWT {
		secret, file = a.config.ClientCertificateKey, a.config.ClientCertificateKeyFile
	}
	if secret != "" || file == "" {
		return string(secret), nil
	}
	return config.NewFileSecret(file).Fetch(ctx)
}

// tokenSource returns a function that requests a token with the HTTP client in its
// context.
func tokenSource(o *config.OAuth2, secret string) func(context.Context) (*oauth2.Token, error) {
	params := make(url.Values)
	for name, value := range o.EndpointParams {
		params.Set(name, value)
	}
	if o.GrantType != grantJWT {
		c := &clientcredentials.Config{
			ClientID: o.ClientID, ClientSecret: secret, Scopes: o.Scopes, TokenURL: o.TokenURL, EndpointParams: params,
		}
		return c.Token
	}
	algorithm, ok := jwt.GetSigningMethod(o.SignatureAlgorithm).(*jwt.SigningMethodRSA)
	if !ok {
		algorithm = jwt.SigningMethodRS256
	}
	c := &config.JwtGrantTypeConfig{
		PrivateKey: []byte(secret), PrivateKeyID: o.ClientCertificateKeyID, SigningAlgorithm: algorithm,
		Iss: cmp.Or(o.Iss, o.ClientID), Subject: o.ClientID, Audience: o.Audience, PrivateClaims: o.Claims,
		Scopes: o.Scopes, TokenURL: o.TokenURL, EndpointParams: params,
	}
	return func(ctx context.Context) (*oauth2.Token, error) { return c.TokenSource(ctx).Token() }
}
