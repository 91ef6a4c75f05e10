#include "serve/request.h"

#include <gtest/gtest.h>

#include "serve/access.h"
#include "serve/response.h"

namespace lowtide::serve {
namespace {

constexpr std::string_view kToken = "0123456789abcdef0123456789abcdef";

int status_of(std::string_view bytes) {
  const auto parsed = parse_request(bytes);
  if (std::holds_alternative<Incomplete>(parsed)) return 0;
  if (const auto* refused = std::get_if<Refused>(&parsed)) return refused->status;
  return 200;
}

Request request_of(std::string_view bytes) {
  const auto parsed = parse_request(bytes);
  return std::holds_alternative<Request>(parsed) ? std::get<Request>(parsed) : Request{};
}

TEST(ParseRequest, reads_what_browsers_and_scrapers_send) {
  const Request request =
      request_of("GET /report.json?x=1&token=abc HTTP/1.1\r\nHost: localhost:9000\r\nAccept: */*\r\n\r\n");

  EXPECT_EQ(request.method, Method::Get);
  EXPECT_EQ(request.path, "/report.json");
  EXPECT_EQ(request.token, "abc");
  EXPECT_EQ(request.host, "localhost:9000");
  EXPECT_EQ(request.accept, "*/*");
  EXPECT_EQ(request_of("GET / HTTP/1.1\r\nHost: a\r\naccept: a/b\r\nAccept: c/d;q=0\r\n\r\n").accept,
            "a/b,c/d;q=0");
  EXPECT_EQ(request_of("HEAD / HTTP/1.0\r\nhost: a\r\nauthorization: bearer  t \r\n\r\n").token, "t");
}

TEST(ParseRequest, waits_for_the_rest) {
  const std::string_view whole = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(status_of(whole.substr(0, length)), 0);
  EXPECT_EQ(status_of(whole), 200);
}

TEST(ParseRequest, refuses_what_is_no_plain_request) {
  EXPECT_EQ(status_of("GET /\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET  / HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\x01\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: a\n\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n"), 413);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 413);
  EXPECT_EQ(status_of("GET /" + std::string(3000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
  EXPECT_EQ(status_of(std::string(kMostRequestBytes, 'a')), 431);
}

TEST(Decide, the_report_needs_the_token) {
  const Gate gate{std::string(kToken), true};
  Request request{.path = "/report.json", .host = "127.0.0.1:80"};
  EXPECT_EQ(decide(request, gate).status, 401);
  request.token = std::string(kToken.substr(1)) + "e";
  EXPECT_EQ(decide(request, gate).status, 401);
  request.token = kToken;
  EXPECT_EQ(decide(request, gate).status, 200);
  EXPECT_EQ(decide(request, gate).resource, Resource::Report);
  request.path = "/../etc/passwd";
  EXPECT_EQ(decide(request, gate).status, 404);
}

TEST(Decide, metrics_are_open_on_loopback_alone) {
  const Request request{.path = "/metrics", .host = "localhost"};
  EXPECT_EQ(decide(request, {std::string(kToken), true}).status, 200);
  EXPECT_EQ(decide(request, {std::string(kToken), false}).status, 401);
}

TEST(Decide, a_foreign_name_for_loopback_is_turned_away) {
  const Gate gate{std::string(kToken), true};
  for (const char* host :
       {"evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "localhost.evil"}) {
    EXPECT_EQ(decide({.path = "/metrics", .host = host}, gate).status, 421) << host;
  }
  for (const char* host : {"localhost", "localhost:80", "127.0.0.1:80", "[::1]", "[::1]:80"}) {
    EXPECT_EQ(decide({.path = "/metrics", .host = host}, gate).status, 200) << host;
  }
}

TEST(Decide, nothing_can_be_changed) {
  EXPECT_EQ(decide({.method = Method::Other, .path = "/metrics", .host = "localhost"}, {"t", true}).status,
            405);
}

TEST(Decide, an_empty_secret_lets_nobody_in) {
  EXPECT_EQ(decide({.path = "/", .host = "localhost"}, {"", true}).status, 401);
}

TEST(Token, is_another_one_each_time) {
  EXPECT_EQ(make_token().size(), 32U);
  EXPECT_NE(make_token(), make_token());
}

TEST(Response, says_how_long_it_is_and_keeps_the_token_to_itself) {
  const std::string bytes = to_bytes({.body = "four"}, false);
  EXPECT_NE(bytes.find("Content-Length: 4\r\n"), std::string::npos);
  EXPECT_NE(bytes.find("Referrer-Policy: no-referrer\r\n"), std::string::npos);
  EXPECT_TRUE(bytes.ends_with("\r\n\r\nfour"));
  EXPECT_TRUE(to_bytes({.body = "four"}, true).ends_with("\r\n\r\n"));
}

}  // namespace
}  // namespace lowtide::serve
