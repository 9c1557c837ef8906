package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;

/** Whether a line that begins like a tool call is a call without its open mark. */
public enum UnmarkedCallPolicy {
    /** Accepted if the models of the family are known to omit the mark. */
    AUTO,
    /** Accepted if the syntax has a text with which its calls begin. */
    ON,
    /** Never accepted: such text is content. */
    OFF;

    /** Returns the text with which such a call begins; empty for none. */
    String begin(ToolSyntax syntax) {
        return switch (this) {
            case AUTO -> syntax.isOftenBare() ? syntax.bareBegin() : "";
            case ON -> syntax.bareBegin();
            case OFF -> "";
        };
    }
}
