// A small HTTP server for a few clients on one thread. No client can block it: a client has five seconds for
// its request and five seconds for each part of the answer, and there are at most 64 clients at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "serve/request.h"
#include "serve/response.h"

namespace lowtide::serve {

class Server {
 public:
  // `port` 0: any free port. `address` is an IP address, such as 127.0.0.1 or ::1.
  static base::Result<Server> listen(const std::string& address, std::uint16_t port);

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] bool is_loopback() const { return is_loopback_; }

  // Returns when `stop_fd` becomes readable; nothing is read from it.
  void run(int stop_fd, const std::function<Response(const Request&)>& answer);

 private:
  struct Client {
    base::Fd fd;
    std::string in = {};
    std::string out = {};
    std::size_t sent = 0;
    double until_s = 0;

    [[nodiscard]] bool is_answered() const { return !out.empty(); }
  };

  Server(base::Fd listener, std::uint16_t port, bool is_loopback);

  void accept_client();
  // Both return false when the client is finished.
  static bool receive(Client& client, const std::function<Response(const Request&)>& answer);
  static bool send_rest(Client& client);

  base::Fd listener_;
  std::uint16_t port_ = 0;
  bool is_loopback_ = true;
  std::vector<Client> clients_;
};

}  // namespace lowtide::serve
