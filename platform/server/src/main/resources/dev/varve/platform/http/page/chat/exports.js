// Export of conversations to files.

import {fenced, withFiles} from './conversation.js';
import {line} from './facts.js';

/** JSON with all branches and all times; see imports.js for the format. */
export function asJson({chat, allMessages}) {
    return JSON.stringify({
        format: 'varve-chat',
        version: 2,
        title: chat.title,
        created: new Date(chat.created).toISOString(),
        settings: chat.settings,
        leaf: chat.leaf,
        messages: allMessages.map(({chat: owner, id, stream, waits, began, ...message}) => message),
    }, null, 2);
}

/** The shown branch as Markdown, for reading. */
export function asMarkdown({chat, messages}) {
    const parts = [`# ${chat.title}`];
    if (chat.settings.system) {
        parts.push(`> ${chat.settings.system.replaceAll('\n', '\n> ')}`);
    }
    for (const message of messages) {
        switch (message.role) {
            case 'user':
                parts.push('## You', ...message.files.filter(file => file.image).map(({name}) => `*Image ${name}*`),
                    withFiles(message));
                break;
            case 'tool':
                parts.push(`## Result of ${message.name}`, fenced(message.content));
                break;
            default:
                parts.push(`## ${message.model || 'Response'}`);
                if (message.reasoning) {
                    parts.push('<details><summary>Reasoning</summary>', message.reasoning, '</details>');
                }
                parts.push(message.content);
                for (const call of message.calls ?? []) {
                    parts.push(`Calls \`${call.name}\`:`, fenced(call.arguments, 'json'));
                }
                if (line(message)) {
                    parts.push(`*${line(message)}*`);
                }
        }
    }
    return parts.filter(part => part !== '').join('\n\n') + '\n';
}

/** Saves a text as a file. */
export function save(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], {type}));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** File name of a chat. */
export function fileName(chat, ending) {
    const words = chat.title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '');
    return `${words.slice(0, 40) || 'chat'}.${ending}`;
}
