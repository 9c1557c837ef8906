package dev.varve.platform.http.responses;

import dev.varve.platform.http.conversation.CustomTool;
import dev.varve.platform.http.conversation.ToolCallId;

import tools.jackson.databind.node.ObjectNode;

/** A tool call. */
final class FunctionCallItem extends OutputItem {
    private final ToolNames.Tool tool;
    private final String callId = ToolCallId.next();
    private final StringBuilder arguments = new StringBuilder();

    private FunctionCallItem(ResponsesEventQueue events, ToolNames.Tool tool, int index) {
        super(events, tool.kind() == ToolNames.Kind.FUNCTION ? "fc_" : "ctc_", index);
        this.tool = tool;
    }

    /** Begins a call. */
    static FunctionCallItem begun(ResponsesEventQueue events, ToolNames.Tool tool, int index) {
        FunctionCallItem item = new FunctionCallItem(events, tool, index);
        item.begin();
        return item;
    }

    /** Appends to the arguments. Those of a custom tool are sent when they are complete. */
    void append(String more) {
        arguments.append(more);
        if (tool.kind() == ToolNames.Kind.FUNCTION && !more.isEmpty()) {
            contentEvent("response.function_call_arguments.delta").put("delta", more);
        }
    }

    @Override
    void endContent() {
        if (tool.kind() == ToolNames.Kind.FUNCTION) {
            contentEvent("response.function_call_arguments.done")
                    .put("name", tool.name())
                    .put("arguments", arguments.toString());
        } else {
            String input = CustomTool.input(arguments.toString());
            contentEvent("response.custom_tool_call_input.delta").put("delta", input);
            contentEvent("response.custom_tool_call_input.done").put("input", input);
        }
    }

    @Override
    ObjectNode json(String status, boolean done) {
        String text = done ? arguments.toString() : "";
        boolean function = tool.kind() == ToolNames.Kind.FUNCTION;
        ObjectNode item = head(function ? "function_call" : "custom_tool_call", status);
        item.put("call_id", callId).put("name", tool.name());
        tool.namespace().ifPresent(space -> item.put("namespace", space));
        return function
                ? item.put("arguments", text)
                : item.put("input", done ? CustomTool.input(text) : "");
    }
}
