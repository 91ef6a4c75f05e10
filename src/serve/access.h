// Access rules: which client may read which resource.
//
// The URL that lowtide prints contains a secret of 128 random bits. Without it there is no report, because a
// report contains paths, commands and variables of the job. `/metrics` contains only numbers, so on loopback
// it needs no secret, as scrapers expect: a user who can connect there can also run `ps`. On any other
// address
// `/metrics` needs the secret too.
//
// A web page from elsewhere, open in a browser on this machine, can reach loopback under a name of its own
// that resolves to 127.0.0.1 (DNS rebinding). It cannot change the `Host` header, so on loopback `Host` must
// name loopback.
#pragma once

#include <string>
#include <string_view>

#include "serve/request.h"

namespace lowtide::serve {

enum class Resource { Page, Report, Metrics };

struct Gate {
  std::string token;
  bool is_loopback = true;
};

struct Decision {
  int status = 404;  // 200: access is allowed
  Resource resource = Resource::Page;
};

Decision decide(const Request& request, const Gate& gate);

// 32 random hexadecimal digits; empty if the kernel provides no random bytes.
std::string make_token();

}  // namespace lowtide::serve
