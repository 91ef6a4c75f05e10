// Who may see what.
//
// The address that is printed has a secret in it, 128 random bits, and without that there is no report: it
// names paths, commands and variables of the job. `/metrics` has numbers only, so on loopback it needs no
// secret, as scrapers expect; whoever may connect there may run `ps` as well. On any other address it does.
//
// A page of somebody else that is open in a browser on this machine can reach loopback too, under a name of
// its own that suddenly means 127.0.0.1. It cannot lie about that name: on loopback `Host` must be ours.
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
  int status = 404;  // 200: it may be seen
  Resource resource = Resource::Page;
};

Decision decide(const Request& request, const Gate& gate);

// 32 hexadecimal digits from the kernel; empty where it gives none.
std::string make_token();

}  // namespace lowtide::serve
