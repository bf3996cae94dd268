/* Agents that are looked at. */
class AgentRun {
  async openFiles(_list: readonly File[]): Promise<void> {}
}
export const agentRun = new AgentRun();
