package dev.varve.testkit;

/**
 * Properties of an architecture that tests prove: the columns of the table in {@code
 * docs/models.md}.
 */
public enum Claim {
    PARITY("libllama", "equal"),
    SPLIT("split", "equal"),
    PROCESS("child process", "equal"),
    DISK("disk restore", "equal"),
    PAGING("KV Flash", "equal"),
    DRAFTS("drafts", "equal"),
    MTP("draft block", "equal"),
    TOOLS("tools", "works"),
    FORCED_TOOLS("forced tools", "works"),
    REASONING("reasoning", "works"),
    STRUCTURE("structured output", "works");

    private final String column;
    private final String word;

    Claim(String column, String word) {
        this.column = column;
        this.word = word;
    }

    /** The head of the column. */
    public String column() {
        return column;
    }

    /** Text of a cell if every test passed. */
    public String word() {
        return word;
    }

    /** Whether it is about chats, which depend on the template. */
    public boolean isAboutChats() {
        return compareTo(TOOLS) >= 0;
    }
}
