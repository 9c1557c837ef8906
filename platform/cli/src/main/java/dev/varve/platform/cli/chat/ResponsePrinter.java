package dev.varve.platform.cli.chat;

/** Prints one response while it is generated. For one thread. */
final class ResponsePrinter implements ChatModel.ResponseListener {
    private final ChatOutput out;
    private final boolean showsReasoning;
    private boolean inReasoning;
    private char last = '\n';

    /**
     * @param showsReasoning whether reasoning is printed
     */
    ResponsePrinter(ChatOutput out, boolean showsReasoning) {
        this.out = out;
        this.showsReasoning = showsReasoning;
    }

    @Override
    public void reasoning(String text) {
        if (!showsReasoning || text.isEmpty()) {
            return;
        }
        if (!inReasoning) {
            inReasoning = true;
            endLine();
            heading("[reasoning]");
        }
        out.printReasoning(text);
        last = text.charAt(text.length() - 1);
    }

    @Override
    public void content(String text) {
        if (text.isEmpty()) {
            return;
        }
        endReasoning();
        out.print(text);
        last = text.charAt(text.length() - 1);
    }

    /** Ends the last line, and separates the response from what follows. */
    void end() {
        endReasoning();
        endLine();
    }

    private void endReasoning() {
        if (inReasoning) {
            inReasoning = false;
            endLine();
            heading("[response]");
            if (out.layout() == ChatOutput.Layout.STYLED) {
                out.print("\n");
            }
        }
    }

    private void heading(String text) {
        if (out.layout() != ChatOutput.Layout.STYLED) {
            out.print(text + "\n");
        }
    }

    private void endLine() {
        if (last != '\n') {
            out.print("\n");
            last = '\n';
        }
    }
}
