package dev.varve.platform.chat;

/** Emits one call: its name once it is certain, and its arguments while they are read. */
final class CallEmitter {
    private final BufferedToolCallOutput output;
    private boolean isBegun;

    CallEmitter(BufferedToolCallOutput output) {
        this.output = output;
    }

    /** State of the arguments after {@link #emit}. */
    enum Progress {
        /** More text follows. */
        OPEN,
        /** The arguments are complete. */
        DONE,
        /** The arguments cannot be read further, and were closed. */
        UNREADABLE,
        /** The arguments cannot be read, and nothing was emitted. */
        REJECTED
    }

    /** Whether the name was emitted, so that the call cannot be rejected any more. */
    boolean isBegun() {
        return isBegun;
    }

    /** Emits the name, once. */
    void begin(ToolDeclaration tool) {
        if (!isBegun) {
            isBegun = true;
            output.begin(tool.name());
        }
    }

    /** Emits arguments that were read, once it is certain that they belong to a call. */
    Progress emit(ToolDeclaration tool, LenientJson json) {
        if (json.isUnreadable() && !isBegun && !json.isStreaming()) {
            return Progress.REJECTED;
        }
        if (isBegun || json.isDone() || json.isStreaming()) {
            begin(tool);
            output.append(json.take());
        }
        if (json.isUnreadable()) {
            output.append(json.closing());
            return Progress.UNREADABLE;
        }
        return json.isDone() ? Progress.DONE : Progress.OPEN;
    }
}
