/* Short sentences at the edge of the page, with a way back where there is one. Nobody is asked "are you sure?". */
export interface Notice {
  id: number;
  text: string;
  undo?: (() => void) | undefined;
}

class Notices {
  list = $state.raw<Notice[]>([]);
  #next = 1;

  say(text: string, undo?: () => void): void {
    const notice: Notice = { id: this.#next++, text, undo };
    this.list = [...this.list.filter((n) => n.undo || n.text !== text).slice(-2), notice]; // the same once
    setTimeout(() => this.drop(notice.id), undo ? 12000 : 6000);
  }

  drop(id: number): void {
    this.list = this.list.filter((n) => n.id !== id);
  }
}

export const notices = new Notices();
