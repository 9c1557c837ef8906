// Error messages for users of the chat.

/** @param {{status: number, code: string, message: string}} error */
export function errorText(error) {
    switch (error.code) {
        case 'queue_full':
            return 'The queue of the server is full. Try again in a moment.';
        case 'model_loading':
            return 'The server is still loading the model.';
        case 'shutting_down':
            return 'The server is shutting down. Try again in a moment.';
        case 'shard_missing':
            return 'A shard of the model is down, and the server restores it. Try again in a moment.';
        case 'context_length_exceeded':
            return `The conversation is longer than the context of the model. ${sentence(error.message)}`;
        case 'model_not_found':
            return 'The server no longer serves this model. Select another one.';
        case 'invalid_api_key':
            return 'The server does not accept the key.';
        case 'operator_only':
            return 'Only the operator may see this.';
        case 'gone':
            return 'The server does not respond.';
        case 'stream_not_found':
        case 'stream_events_gone':
            return 'The server no longer has the rest of this response.';
        case 'broken_off':
            return 'The connection was lost before the response was complete.';
        case 'out_of_memory':
            return `The server does not have enough memory for this. ${sentence(error.message)}`;
        default:
            return sentence(error.message);
    }
}

/** Why a response ended, if that is worth a note. */
export function ending(message) {
    if (message.state === 'stopped') {
        return 'Stopped';
    }
    if (message.state === 'done' && message.finish === 'length') {
        return 'Truncated: the response reached the token limit';
    }
    return '';
}

function sentence(text) {
    const whole = (text ?? '').trim() || 'The request failed';
    return whole[0].toUpperCase() + whole.slice(1) + (/[.!?]$/.test(whole) ? '' : '.');
}
