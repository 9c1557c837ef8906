package dev.varve.platform.chat;

/** A call whose arguments are the body of a message. */
final class ChannelCall {
    private final ToolDeclaration tool;
    private final BufferedToolCallOutput output = new BufferedToolCallOutput();
    private final CallEmitter call = new CallEmitter(output);
    private final LenientJson json;
    private final StringBuilder raw = new StringBuilder();

    /** Text behind the arguments. */
    private final StringBuilder behind = new StringBuilder();

    private boolean isOver;
    private boolean isCounted;

    ChannelCall(ToolDeclaration tool) {
        this.tool = tool;
        json = new LenientJson(ArgumentSchema.of(tool.parameters()), "");
    }

    BufferedToolCallOutput output() {
        return output;
    }

    boolean isCounted() {
        return isCounted;
    }

    void count() {
        isCounted = true;
    }

    void push(String text) {
        if (!output.isBegun()) {
            raw.append(text);
        }
        if (!isOver && !output.isBegun()) {
            String begin = raw.toString().stripLeading();
            isOver = !begin.isEmpty() && begin.charAt(0) != '{';
        }
        if (isOver) {
            behind.append(text);
        } else {
            json.push(text);
            settle();
        }
    }

    /** Ends the message: a call that has begun is completed; an empty body has no arguments. */
    void end() {
        if (isOver) {
            return;
        }
        if (raw.toString().isBlank() && !output.isBegun()) {
            call.begin(tool);
            output.append("{}");
            isOver = true;
            return;
        }
        json.end();
        settle();
    }

    /**
     * Returns the text that is no call: all of the body if it is unreadable, or what follows.
     *
     * @param isCut whether the response ended within the body: its end is dropped then
     */
    String rest(boolean isCut) {
        if (!output.isBegun()) {
            return raw.toString();
        }
        String rest = json.rest() + behind;
        return isCut || rest.isBlank() ? "" : rest;
    }

    private void settle() {
        isOver = call.emit(tool, json) != CallEmitter.Progress.OPEN;
    }
}
