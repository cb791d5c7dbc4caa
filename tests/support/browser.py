"""A browser that signs in at a provider of OpenID Connect."""

from urllib.parse import urlsplit

import requests

from app.server.access.identity import SESSION_COOKIE


class Browser:
    """A browser that keeps the cookies of one server; it sends HTTP requests to the provider's
    port.
    """

    def __init__(self, served):
        self.http = served.server.test_client()

    def to_provider(self, then="/", **options):
        """Begin a sign-in and return the address that the browser is sent to."""
        answer = self.http.get("/auth/login", query_string={"next": then}, **options)
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]

    def signed_in(self, subject, address):
        """Sign in as `subject` at the provider's `address`; return path and query of the address
        that the provider redirects to.
        """
        answer = requests.post(address, data={"sub": subject}, allow_redirects=False, timeout=60)
        back = urlsplit(answer.headers["Location"])
        return f"{back.path}?{back.query}"

    def sign_in(self, subject, then="/", **options):
        """Sign in and return the response that ends the sign-in."""
        return self.http.get(self.signed_in(subject, self.to_provider(then, **options)), **options)

    def me(self):
        answer = self.http.get("/api/v1/me")
        return (
            (answer.json["user"], answer.json["role"])
            if answer.status_code == 200
            else answer.status_code
        )

    @property
    def secret(self):
        cookie = self.http.get_cookie(SESSION_COOKIE)
        return cookie.value if cookie else None
