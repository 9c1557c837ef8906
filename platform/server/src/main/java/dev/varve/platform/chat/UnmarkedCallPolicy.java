package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;

/** Whether a tool call without its open mark is a call, where a line begins like one. */
public enum UnmarkedCallPolicy {
    /** Where the models of the family are known to leave the mark out. */
    AUTO,
    /** Where a syntax has a text with which its calls begin. */
    ON,
    /** Never: such text is content. */
    OFF;

    /** The text with which such a call begins; empty for none. */
    String begin(ToolSyntax syntax) {
        return switch (this) {
            case AUTO -> syntax.isOftenBare() ? syntax.bareBegin() : "";
            case ON -> syntax.bareBegin();
            case OFF -> "";
        };
    }
}
