// A library with the agent's entry points at other addresses, as another version of the agent has them. The
// test puts it in the place of the agent's file, but no process loads it.
asm(".text\n.skip 40000, 0xcc\n");

extern "C" {
int lowtide_agent_start(const char* /*socket*/) {
  return -1;
}
int lowtide_agent_stop(const char* /*socket*/) {
  return -1;
}
int lowtide_agent_snapshot(const char* /*order*/) {
  return -1;
}
int lowtide_agent_reap(const char* /*none*/) {
  return -1;
}
}
