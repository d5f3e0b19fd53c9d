//! Fenced code blocks of `CommonMark`, line by line.

/// An open fence: which character it is made of, and how many of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// The fence that a line opens.
    pub fn opened_by(line: &str) -> Option<Self> {
        let trimmed = line.trim_start();
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = trimmed.chars().take_while(|c| *c == mark).count();
        let info = &trimmed[length..];
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Self { mark, length })
    }

    /// True when the line closes it.
    pub fn is_closed_by(self, line: &str) -> bool {
        let trimmed = line.trim();
        trimmed.chars().count() >= self.length && trimmed.chars().all(|c| c == self.mark)
    }

    /// The lines of a text that are no code, nor the fences around it.
    pub fn lines_outside(text: &str) -> impl Iterator<Item = &str> {
        let mut fence = None;
        text.lines().filter(move |line| {
            let was_code = fence.is_some();
            fence = Self::below(fence, line);
            !was_code && fence.is_none()
        })
    }

    /// The fence that is open below a line, given the one that was open above it.
    pub fn below(above: Option<Self>, line: &str) -> Option<Self> {
        match above {
            Some(open) => (!open.is_closed_by(line)).then_some(open),
            None => Self::opened_by(line),
        }
    }
}
